package command

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// maxNameLength bounds the work on something that is no name at all.
const maxNameLength = 64

// didYouMean returns "; did you mean X?" for the name closest to what was
// typed, or nothing when none is close.
func didYouMean(typed string, names []string) string {
	if len(typed) > maxNameLength {
		return ""
	}
	best, least := "", max(1, len(typed)/3)+1
	for _, name := range names {
		d := distance(strings.ToLower(typed), strings.ToLower(name))
		if len(typed) >= 3 && strings.HasPrefix(name, typed) {
			d = min(d, 1)
		}
		if d < least && d < len(typed) {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// distance is the number of bytes to insert, remove, change or swap with their
// neighbour to make b of a.
func distance(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range len(b) {
		d[0][j+1] = j + 1
	}
	for i := range len(a) {
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			least := min(d[i][j]+cost, d[i][j+1]+1, d[i+1][j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				least = min(least, d[i-1][j-1]+1)
			}
			d[i+1][j+1] = least
		}
	}
	return d[len(a)][len(b)]
}

func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return names
}
