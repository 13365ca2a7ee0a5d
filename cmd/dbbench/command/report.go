package command

import (
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
)

// reportOptions are the flags of report.
type reportOptions struct {
	format report.Format
}

func newReport(d Deps) *cobra.Command {
	o := &reportOptions{format: report.FormatText}
	cmd := &cobra.Command{
		Use:   "report RESULTS.json [flags]",
		Short: "Show a record that run --json wrote",
		Long: `Report reads a record that "dbbench run --json FILE" wrote, also one of a run
that isn't finished, and shows it in any format.`,
		Example: `  dbbench report results.json
  dbbench report results.json --format markdown`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usageError("which file?")
			case len(args) > 1:
				return usageError("unexpected argument %s", quoted(args[1]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			rec, err := readRecord(args[0])
			if err != nil {
				return err
			}
			if len(rec.Summary) == 0 { // the run was not finished
				rec.Summary = bench.Summarize(rec)
			}
			style := report.Style{Bold: d.escapes(cmd.OutOrStdout())}
			return failure(buffered(cmd.OutOrStdout(), func(w io.Writer) error { return report.Write(w, rec, o.format, style) }))
		},
	}
	cmd.Flags().Var(choice(&o.format, report.Formats()...), "format", "form of the results: text, markdown, csv, json or gobench")
	return cmd
}

// readRecord reads the record in a file. One that is damaged, or no record, is
// a matter of usage.
func readRecord(path string) (*bench.Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, usageError("%s: %w", quoted(path), cause(err))
	}
	defer f.Close()
	rec, err := report.Read(f)
	if err != nil {
		return nil, usageError("%s: %w", quoted(path), cause(err))
	}
	return rec, nil
}
