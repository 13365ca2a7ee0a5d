package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/overhead"
	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/engines"
)

// childEnv makes the test binary another program: what a process of its own is
// needed for, because it's to be killed, to hold a lock, or to have real
// standard streams.
const childEnv = "DBBENCH_TEST_CHILD"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == overhead.PartCommand { // overhead calls its program for each pass
		os.Exit(Main(context.Background(), os.Args[1:], os.Stdout, os.Stderr, Deps{Engines: Engines()}))
	}
	switch os.Getenv(childEnv) {
	case "":
		os.Exit(m.Run())
	case "dbbench":
		os.Exit(Main(context.Background(), os.Args[1:], os.Stdout, os.Stderr, Deps{Engines: Engines()}))
	case "stuck":
		os.Exit(Main(context.Background(), os.Args[1:], os.Stdout, os.Stderr, Deps{Engines: stuckEngines()}))
	case "killed":
		os.Exit(Main(context.Background(), os.Args[1:], os.Stdout, os.Stderr, Deps{Engines: killedEngines(os.Args)}))
	case "hold":
		os.Exit(hold(os.Args[1:]))
	}
	os.Exit(exitUsage)
}

// child is the command of a child in the given role.
func child(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	// One that is killed does not remove its temporary folders.
	cmd.Env = append(os.Environ(), childEnv+"="+role, "TMPDIR="+t.TempDir())
	return cmd
}

// hold opens stores, given as pairs of engine and path, says so and keeps them
// until its stdin ends.
func hold(args []string) int {
	for i := 0; i < len(args); i += 2 {
		db, err := engines.Open(args[i], args[i+1], &store.Options{CreateIfMissing: true})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return exitFailed
		}
		defer db.Close()
	}
	fmt.Println("held")
	io.Copy(io.Discard, os.Stdin)
	return exitOK
}

// startHolding holds stores in a child until the test ends.
func startHolding(t *testing.T, args ...string) {
	t.Helper()
	cmd := child(t, "hold", args...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	if _, err := io.ReadFull(out, make([]byte, len("held\n"))); err != nil {
		t.Fatal(err)
	}
}

// stuckEngines is a table whose first engine has a compaction that can't be
// interrupted and takes a minute.
func stuckEngines() []bench.Engine {
	table := fakeEngines()
	open := table[0].Open
	table[0].CompactInterruptible = false
	table[0].Open = func(path string, o store.Options) (store.DB, error) {
		db, err := open(path, o)
		return stuckDB{db}, err
	}
	return table
}

type stuckDB struct{ store.DB }

func (stuckDB) Compact(context.Context, store.KeyRange) error {
	time.Sleep(time.Minute) // what it is about
	return nil
}

// ended runs a child to its end and returns what it left. It is killed when it
// takes longer than a test may.
func ended(t *testing.T, cmd *exec.Cmd, signal func(p *os.Process)) output {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	defer timer.Stop()
	if signal != nil {
		signal(cmd.Process)
	}
	err := cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return output{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}
