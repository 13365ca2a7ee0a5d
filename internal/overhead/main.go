// Command overhead measures what Go adds to LevelDB and RocksDB: it runs each
// engine's own db_bench in C++, this library, and the plain bindings levigo and
// grocksdb, on the same libraries with the same options, in turns.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	var code int
	if len(os.Args) == 2 && os.Args[1] == partFlag {
		code = servePart(ctx, os.Stdin, os.Stdout, os.Stderr)
	} else {
		code = command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	}
	stop()
	os.Exit(code)
}

// command runs the program and returns its exit code: 1 if something failed or
// counts are wrong, 2 for wrong usage, 130 if it was interrupted.
func command(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	c, file, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err == nil && file != "" {
		err = os.WriteFile(file, nil, 0o644) // a bad path is told before the work
	}
	if err != nil {
		fmt.Fprintln(stderr, "overhead:", err)
		return 2
	}
	var writeErr error
	r, err := run(ctx, c, func(r *result, line string) {
		fmt.Fprintln(stderr, line)
		if file != "" {
			writeErr = writeJSON(file, r)
		}
	})
	if r != nil && len(r.Rows) > 0 {
		writeText(stdout, r)
	}
	err = errors.Join(err, writeErr)
	switch {
	case ctx.Err() != nil:
		return 130
	case err != nil:
		fmt.Fprintln(stderr, "overhead:", err)
		return 1
	case len(r.Faults) > 0:
		return 1
	}
	return 0
}

// parse reads the flags. The flag package has told of those that are wrong.
func parse(args []string, stderr io.Writer) (c config, file string, err error) {
	c = defaultConfig()
	c.Native = os.Getenv("LSMKIT_DEPS")
	f := flag.NewFlagSet("overhead", flag.ContinueOnError)
	f.SetOutput(stderr)
	engines := f.String("engine", strings.Join(c.Engines, ","), "engines")
	workloads := f.String("workloads", strings.Join(c.Workloads, ","),
		"workloads that all sides have, in order, or none; of "+strings.Join(commonWorkloads, ","))
	f.BoolVar(&c.Extras, "extras", c.Extras, "also measure what C++ doesn't: batches, multi-gets, seeks, the harness alone")
	f.Int64Var(&c.Num, "num", c.Num, "number of entries")
	f.IntVar(&c.Rounds, "rounds", c.Rounds, "passes of each side")
	f.StringVar(&c.Dir, "db", "", "folder for the stores (default the system's temporary one)")
	f.StringVar(&file, "json", "", "file to write everything measured to")
	if err := f.Parse(args); err != nil {
		return c, file, err
	}
	if f.NArg() > 0 {
		return c, file, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	c.Engines, c.Workloads = split(*engines), split(*workloads)
	if *workloads == "none" {
		c.Workloads = []string{}
	}
	return c, file, c.validate()
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

func writeJSON(file string, r *result) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(data, '\n'), 0o644)
}
