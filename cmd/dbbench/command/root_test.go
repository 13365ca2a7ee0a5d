package command

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

func TestRootAlonePrintsHelp(t *testing.T) {
	got := execute(t, untouched(t))
	if got.code != exitOK || got.err != "" || !strings.Contains(got.out, "Available Commands:") {
		t.Errorf("code %d, stdout %q, stderr %q", got.code, got.out, got.err)
	}
}

func TestUnknownCommandsAndTopics(t *testing.T) {
	for args, want := range map[string]string{
		"rnu":             "dbbench: unknown command rnu; did you mean run? (see dbbench --help)",
		"bogus":           "dbbench: unknown command bogus (see dbbench --help)",
		"--version":       "dbbench: unknown flag --version",
		"help bogus":      "dbbench help: unknown help topic bogus",
		"help run fast":   `dbbench help: unknown help topic "run fast"`,
		"completion nush": "dbbench completion: unknown command nush",
		"env extra":       "dbbench env: unexpected argument extra",
		"version extra":   "dbbench version: unexpected argument extra",
	} {
		execute(t, untouched(t), strings.Fields(args)...).fails(t, exitUsage, want)
	}
}

// commands calls fn with each command that a person can type.
func commands(root *cobra.Command, fn func(*cobra.Command)) {
	for _, c := range root.Commands() {
		if c.Name() != "completion" && c.Name() != "help" && !c.Hidden { // cobra's own, and the tool's
			fn(c)
			commands(c, fn)
		}
	}
}

func TestEveryCommandHasHelp(t *testing.T) {
	commands(New(untouched(t)), func(c *cobra.Command) {
		args := append(strings.Fields(c.CommandPath())[1:], "--help")
		got := execute(t, untouched(t), args...)
		if got.code != exitOK || got.err != "" || c.Short == "" || c.Example == "" {
			t.Errorf("%v: code %d, stderr %q", args, got.code, got.err)
		}
		for line := range strings.Lines(got.out) {
			if utf8.RuneCountInString(line) > 81 {
				t.Errorf("%v: a line of %d columns: %s", args, len(line), line)
			}
		}
		topic := execute(t, untouched(t), append([]string{"help"}, args[:len(args)-1]...)...)
		if topic.out != got.out {
			t.Errorf("help %v differs from %v", args[:len(args)-1], args)
		}
	})
}

func TestEveryFlagHasHelp(t *testing.T) {
	commands(New(untouched(t)), func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		for _, name := range flagNames(c) {
			if f := c.Flags().Lookup(strings.TrimPrefix(name, "--")); len(f.Usage) < 8 || f.Value.Type() == "" {
				t.Errorf("%s %s has no help: %q", c.CommandPath(), name, f.Usage)
			}
		}
	})
}

// The examples in the help run as they are written, on in-memory engines.
func TestHelpExamples(t *testing.T) {
	t.Chdir(t.TempDir())
	d := Deps{Engines: fakeEngines(), Overhead: fakeOverhead(nil)}
	if got := execute(t, d, "run", "--preset", "core", "--num", "100", "--rounds", "1", "--json", "results.json"); got.code != exitOK {
		t.Fatal(got.err)
	}
	n, copied := 0, sourced(t, "old", 10)
	run := func(c *cobra.Command) {
		for line := range strings.Lines(c.Example) {
			args := strings.Fields(line)
			if len(args) == 0 || args[0] != "dbbench" {
				t.Errorf("%s: not an example: %q", c.CommandPath(), line)
				continue
			}
			args = args[1:]
			d := d
			switch args[0] {
			case "run":
				args = append(args, "--num", "200", "--rounds", "1") // the last of a flag counts
			case "copy":
				d.Engines = copied
			}
			if got := execute(t, d, args...); got.code != exitOK || got.out == "" {
				t.Errorf("%q: code %d, stderr %s", line, got.code, got.err)
			}
			n++
		}
	}
	root := New(d)
	run(root)
	commands(root, run)
	if n < 10 {
		t.Errorf("only %d examples", n)
	}
}
