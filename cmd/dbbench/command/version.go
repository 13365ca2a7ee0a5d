package command

import (
	"cmp"
	"fmt"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/lsmkit/lsmkit/internal/bench"
)

func newVersion(d Deps) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the versions of the tool, of Go and of the engines' libraries",
		Long:    "Version prints the versions of the tool, of Go and of the engines' libraries,\nand how these were compiled.",
		Example: `  dbbench version`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			tool := bench.ThisTool()
			fmt.Fprintf(w, "%s\t%s\n", tool.Name, toolVersion(tool))
			fmt.Fprintf(w, "go\t%s %s/%s\n", tool.Go, runtime.GOOS, runtime.GOARCH)
			for i := range d.Engines {
				fmt.Fprintf(w, "%s\t%s\n", d.Engines[i].Name, library(&d.Engines[i]))
			}
			return failure(w.Flush())
		},
	}
}

// toolVersion is what the build recorded: the module's version, and the
// commit.
func toolVersion(t bench.Tool) string {
	return cmp.Or(strings.TrimSpace(t.Version+" "+t.Commit), "(devel)")
}

// library is an engine's library in one line: its version, and how it was
// compiled.
func library(e *bench.Engine) string {
	text := e.Version()
	if b := e.Compiled(); b != nil {
		text += " (" + b.String() + ")"
	}
	return text
}
