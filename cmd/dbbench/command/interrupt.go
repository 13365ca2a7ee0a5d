package command

import (
	"context"
	"errors"
	"syscall"
)

// errEndedAtOnce is the outcome of a second interrupt: nothing is waited for.
var errEndedAtOnce = errors.New("ended at once")

// interruptible runs the core in a goroutine of its own, so that this one can
// answer to signals whatever the engines do: the first ends the context.
func interruptible[T any](ctx context.Context, d Deps, note func(text string), run func(ctx context.Context) (T, error)) (result T, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	signals, stop := d.Interrupts()
	defer stop()
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := run(ctx)
		done <- outcome{result, err}
	}()
	for interrupted := false; ; {
		select {
		case out := <-done:
			return out.result, out.err
		case s := <-signals:
			switch {
			case interrupted && s == syscall.SIGPIPE:
				continue // each write to a closed pipe brings some
			case interrupted:
				return result, errEndedAtOnce
			}
			interrupted = true
			note("interrupted: stopping; again to end at once")
			cancel()
		}
	}
}
