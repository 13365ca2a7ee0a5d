package command

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
)

// compareOptions are the flags of compare.
type compareOptions struct {
	format        report.Format
	maxRegression float64 // negative: no limit
}

func newCompare(d Deps) *cobra.Command {
	o := &compareOptions{format: report.FormatText, maxRegression: -1}
	cmd := &cobra.Command{
		Use:   "compare OLD.json NEW.json [flags]",
		Short: "Set a record against an older one, and find regressions",
		Long: `Compare reads two records that "dbbench run --json FILE" wrote, and compares
each workload of each engine with itself: medians, the change between them, and
whether it's shown to be one (Mann-Whitney test, 4 rounds or more a side).

With --max-regression a row that is slower by more than that, and shown to be,
is a regression.

Exit codes: 0 nothing to complain about, 1 a row that was good has failed or is
gone, 2 wrong usage or a file that is no record, 3 a regression.`,
		Example: `  dbbench compare results.json results.json
  dbbench compare results.json results.json --max-regression 5%`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) < 2:
				return usageError("which two files?")
			case len(args) > 2:
				return usageError("unexpected argument %s", quoted(args[2]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, d, args[0], args[1]) },
	}
	cmd.Flags().Var(percent(&o.maxRegression), "max-regression", "how much slower a row may have become, such as 5% (default no limit)")
	cmd.Flags().Var(choice(&o.format, string(report.FormatText), string(report.FormatMarkdown)), "format", "form of the comparison: text or markdown")
	return cmd
}

func (o *compareOptions) run(cmd *cobra.Command, d Deps, oldPath, newPath string) error {
	before, err := readRecord(oldPath)
	if err != nil {
		return err
	}
	after, err := readRecord(newPath)
	if err != nil {
		return err
	}
	c := bench.Compare(before, after, bench.CompareOptions{MaxRegressionPercent: o.maxRegression})
	common := 0
	for i := range c.Rows {
		if c.Rows[i].Old != nil && c.Rows[i].New != nil {
			common++
		}
	}
	if common == 0 {
		return usageError("%s and %s have no row in common", quoted(oldPath), quoted(newPath))
	}
	style := report.Style{Bold: d.escapes(cmd.OutOrStdout())}
	err = buffered(cmd.OutOrStdout(), func(w io.Writer) error {
		return report.Comparison(w, c, o.format, oldPath, newPath, style)
	})
	regressions, broken := len(c.Regressions()), len(c.Broken())
	switch {
	case err != nil:
		return failure(err)
	case regressions > 0:
		limit := strconv.FormatFloat(o.maxRegression, 'g', -1, 64)
		return &exitError{exitRegression, fmt.Errorf("%d of %d rows are slower by more than %s %%", regressions, len(c.Rows), limit)}
	case broken > 0:
		return failure(fmt.Errorf("%d of %d rows were good in the old record, and are not in the new one", broken, len(c.Rows)))
	}
	return nil
}
