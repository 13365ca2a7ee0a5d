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
		Example: `  dbbench version`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			tool := bench.ThisTool()
			fmt.Fprintf(w, "%s\t%s\n", tool.Name, toolVersion(tool))
			fmt.Fprintf(w, "go\t%s %s/%s\n", tool.Go, runtime.GOOS, runtime.GOARCH)
			listEngines(w, d.Engines)
			return failure(w.Flush())
		},
	}
}

// toolVersion is what the build recorded: the module's version, and the
// commit.
func toolVersion(t bench.Tool) string {
	return cmp.Or(strings.TrimSpace(t.Version+" "+t.Commit), "(devel)")
}
