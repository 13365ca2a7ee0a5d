package command

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/lsmkit/lsmkit/internal/bench"
)

func newList(d Deps) *cobra.Command {
	lists := []struct {
		name  string
		write func(io.Writer)
	}{
		{"workloads", listWorkloads},
		{"engines", func(w io.Writer) { listEngines(w, d.Engines) }},
		{"presets", listPresets},
	}
	var names []string
	for _, l := range lists {
		names = append(names, l.name)
	}
	return &cobra.Command{
		Use:       "list workloads|engines|presets",
		Short:     "List workloads, engines or presets",
		Example:   "  dbbench list workloads\n  dbbench list engines\n  dbbench list presets",
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return usageError("list what: %s?", strings.Join(names, ", "))
			case len(args) > 1:
				return usageError("unexpected argument %s", quoted(args[1]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, l := range lists {
				if l.name == args[0] {
					w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
					l.write(w)
					return failure(w.Flush())
				}
			}
			return usageError("there is no list of %s%s", quoted(args[0]), didYouMean(args[0], names))
		},
	}
}

func listWorkloads(w io.Writer) {
	for _, l := range bench.Workloads() {
		name := strings.Join(append([]string{l.Name}, l.Aliases...), ", ")
		note := ""
		if l.Fresh {
			note = "; on a fresh store"
		}
		fmt.Fprintf(w, "%s\t%s%s\n", name, l.Description, note)
	}
}

func listEngines(w io.Writer, engines []bench.Engine) {
	for i := range engines {
		fmt.Fprintf(w, "%s\t%s\n", engines[i].Name, engines[i].Version())
	}
}

func listPresets(w io.Writer) {
	for _, p := range bench.Presets() {
		fmt.Fprintf(w, "%s\t%s\n\t  %s\n", p.Name, p.Description, strings.Join(p.Workloads, " "))
	}
}

func workloadNames() []string {
	var names []string
	for _, w := range bench.Workloads() {
		names = append(append(names, w.Name), w.Aliases...)
	}
	return names
}

func presetNames() []string {
	var names []string
	for _, p := range bench.Presets() {
		names = append(names, p.Name)
	}
	return names
}
