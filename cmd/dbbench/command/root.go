// Package command is the command line of dbbench: one file a command. Commands
// are thin: they read flags, check them without touching anything, call the
// measuring core once and hand the result to a renderer.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lsmkit/lsmkit/internal/report"
)

// Main runs the program with the given arguments and returns its exit code.
// Results go to stdout, all else to stderr.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer, d Deps) int {
	root := New(d)
	root.SetArgs(append([]string{}, args...)) // nil would be the process's own
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	var e *exitError
	if err != nil && !(errors.As(err, &e) && e.err == nil) {
		hint := ""
		if exitCode(err) == exitUsage {
			hint = fmt.Sprintf(" (see %s --help)", cmd.CommandPath())
		}
		fmt.Fprintf(stderr, "%s: %s%s\n", cmd.CommandPath(), report.OneLine(err.Error()), hint)
	}
	return exitCode(err)
}

// New returns the root command.
func New(d Deps) *cobra.Command {
	d = d.withDefaults()
	root := &cobra.Command{
		Use:   "dbbench",
		Short: "Compare LevelDB and RocksDB on your machine and your workload",
		Long: `dbbench runs the same workloads on LevelDB and RocksDB, in interleaved rounds
and with options set alike, and tells which differences are real.`,
		Example: `  dbbench run --preset core --num 1e5
  dbbench run --workloads fillrandom,readrandom --value-size 1KiB --rounds 7
  dbbench list workloads`,
		Args:          subcommandOnly,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return flagError(cmd, err) })
	root.AddCommand(newRun(d), newOverhead(d), newOverheadPart(d), newCompare(d), newReport(d), newCopy(d), newList(d), newEnv(d), newVersion(d))
	root.SetHelpCommand(newHelp())
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 80"))
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" { // cobra's own takes an unknown shell for a success
			cmd.Args, cmd.RunE = subcommandOnly, root.RunE
		}
	}
	return root
}

// subcommandOnly refuses what is no subcommand, with a guess at what was meant.
func subcommandOnly(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			names = append(names, sub.Name())
		}
	}
	return usageError("unknown command %s%s", quoted(args[0]), didYouMean(args[0], names))
}

// noArgs refuses arguments that are no flags.
func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError("unexpected argument %s", quoted(args[0]))
	}
	return nil
}

// newHelp replaces cobra's help command, which takes an unknown topic for a
// success.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [command]",
		Short: "Help about any command",
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || topic == nil || len(rest) > 0 {
				return usageError("unknown help topic %s", quoted(strings.Join(args, " ")))
			}
			topic.InitDefaultHelpFlag()
			return topic.Help()
		},
	}
}

// flagError puts pflag's errors into our words: the flag, the value as it was
// typed and what is wrong with it.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &invalid):
		cause := invalid.Unwrap()
		if num := (*strconv.NumError)(nil); errors.As(cause, &num) {
			cause = errors.New("neither true nor false")
		}
		return usageError("--%s %s: %w", invalid.GetFlag().Name, quoted(invalid.GetValue()), cause)
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		return usageError("unknown flag --%s%s", unknown.GetSpecifiedName(), didYouMean("--"+unknown.GetSpecifiedName(), flagNames(cmd)))
	}
	return usageError("%w", err)
}
