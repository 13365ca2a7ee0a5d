package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// A part is what one side in Go measures in one pass. It gets a process of its
// own, as C++ does: what the passes before have left of the heap would be ours
// alone.
type part struct {
	What   string
	Config config
	Engine string
	Side   side
	Dir    string
}

const (
	partCommon  = "common"
	partExtras  = "extras"
	partHarness = "harness"
)

// partFlag, as the only argument, makes the program measure the part that it
// reads from stdin, and write the cells to stdout.
const partFlag = "-part"

func (p *part) measure(ctx context.Context) ([]cell, error) {
	switch p.What {
	case partCommon:
		return runCommon(ctx, &p.Config, p.Engine, p.Side, p.Dir)
	case partExtras:
		return runExtras(ctx, &p.Config, p.Engine, p.Side, p.Dir)
	case partHarness:
		return runNull(ctx, &p.Config)
	}
	return nil, fmt.Errorf("unknown part %q", p.What)
}

// spawn measures a part in a process of its own, which is this program.
func spawn(ctx context.Context, p part) ([]cell, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	request, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program, partFlag)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(request), &stdout, &stderr
	// An interrupt lets it close its store; not for ever.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, lastLine(stderr.String()))
	}
	var cells []cell
	err = json.Unmarshal(stdout.Bytes(), &cells)
	return cells, err
}

// servePart is the other end of spawn. It returns the exit code.
func servePart(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) int {
	var p part
	err := json.NewDecoder(stdin).Decode(&p)
	if err == nil {
		var cells []cell
		if cells, err = p.measure(ctx); err == nil {
			err = json.NewEncoder(stdout).Encode(cells)
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}
