package command

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// Exit codes of the program.
const (
	exitOK          = 0
	exitFailed      = 1   // a row failed, or a store could not be used
	exitUsage       = 2   // a wrong flag, value or file name; nothing was touched
	exitRegression  = 3   // compare found a row slower than is allowed
	exitInterrupted = 130 // stopped by SIGINT or SIGTERM
)

// exitError ends the program with a code. One without an error has said all
// there is to say already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usageError is what a person typed wrong. The message is one line.
func usageError(format string, args ...any) error {
	return &exitError{exitUsage, fmt.Errorf(format, args...)}
}

// failure is an error that is no matter of the command line.
func failure(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{exitFailed, err}
}

// exitCode returns the code that err asks for. What comes from cobra itself
// (unknown commands, wrong arguments) is a matter of usage.
func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	var e *exitError
	if errors.As(err, &e) {
		return e.code
	}
	return exitUsage
}

// quoted returns s for a message: as it is when it's plain, else in quotes.
func quoted(s string) string {
	plain := func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsPrint(r) || strings.ContainsRune("\"' `", r)
	}
	if s == "" || strings.ContainsFunc(s, plain) {
		return fmt.Sprintf("%q", s)
	}
	return s
}
