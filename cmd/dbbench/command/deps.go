package command

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/overhead"
)

// Deps are what the commands use of the world. Only Engines has to be set;
// tests put in others.
type Deps struct {
	// Engines is the table of all engines, in the order of the --engines default.
	Engines []bench.Engine
	// Run is the measuring core.
	Run func(ctx context.Context, c bench.Config, engines []bench.Engine, o bench.Observer) (*bench.Record, error)
	// Overhead compares with C++ and with the plain bindings.
	Overhead func(ctx context.Context, c overhead.Config, o overhead.Observer) (*overhead.Result, error)
	// Environment describes the machine and the disk under a folder.
	Environment func(ctx context.Context, dir string) bench.Environment
	// Interrupts begins to catch the signals that end a run, until stop is called.
	Interrupts func() (signals <-chan os.Signal, stop func())
	// Terminal tells whether w is one.
	Terminal func(w io.Writer) bool
	// Getenv reads an environment variable.
	Getenv func(name string) string
}

func (d Deps) withDefaults() Deps {
	if d.Run == nil {
		d.Run = bench.Run
	}
	if d.Overhead == nil {
		d.Overhead = overhead.Run
	}
	if d.Environment == nil {
		d.Environment = bench.ReadEnvironment
	}
	if d.Interrupts == nil {
		d.Interrupts = catchInterrupts
	}
	if d.Terminal == nil {
		d.Terminal = isTerminal
	}
	if d.Getenv == nil {
		d.Getenv = os.Getenv
	}
	return d
}

// catchInterrupts has room for two signals: the second ends the program. A
// closed pipe behind stdout ends a run like a signal from the user, so that
// the stores are closed all the same.
func catchInterrupts() (<-chan os.Signal, func()) {
	c := make(chan os.Signal, 2)
	signal.Notify(c, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	return c, func() {
		signal.Stop(c)
		signal.Ignore(syscall.SIGPIPE) // the output files are still to be written
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// escapes tells whether w takes escape codes for bold text.
func (d Deps) escapes(w io.Writer) bool {
	return d.Terminal(w) && d.Getenv("NO_COLOR") == "" && d.Getenv("TERM") != "dumb"
}

func (d Deps) engineNames() []string {
	var names []string
	for i := range d.Engines {
		names = append(names, d.Engines[i].Name)
	}
	return names
}
