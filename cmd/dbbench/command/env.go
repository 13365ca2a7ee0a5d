package command

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/lsmkit/lsmkit/internal/report"
)

func newEnv(d Deps) *cobra.Command {
	return &cobra.Command{
		Use:   "env",
		Short: "Describe the machine and the disk, as a run records them",
		Long: `Env prints the environment block of a record: machine, limits, and the file
system of temporary files with the time that an fdatasync takes there. What the
machine doesn't tell is left out. Below it are the engines' libraries, and how
they were compiled.`,
		Example: `  dbbench env`,
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			e := d.Environment(cmd.Context(), "")
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, fact := range report.Facts(&e) {
				fmt.Fprintf(w, "%s\t%s\n", fact.Name, report.OneLine(fact.Text))
			}
			for i := range d.Engines {
				fmt.Fprintf(w, "%s\t%s\n", d.Engines[i].Name, report.OneLine(library(&d.Engines[i])))
			}
			return failure(w.Flush())
		},
	}
}
