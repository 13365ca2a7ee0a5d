package overhead

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/lsmkit/lsmkit/internal/bench"
)

// Part is what a pass measures.
type Part string

const (
	PartCommon  Part = "common"  // the workloads that all sides have
	PartExtras  Part = "go"      // those that only the sides in Go have
	PartHarness Part = "harness" // the harness on a store that does nothing
)

// PartCommand, as its only argument, makes a program measure one part: it must
// call ServePart with its standard streams.
const PartCommand = "overhead-part"

// part is what one side in Go measures in one pass. It gets a process of its
// own, as C++ does: what the passes before have left of the heap would be ours
// alone.
type part struct {
	What   Part
	Config Config
	Engine string
	Side   Side
	Dir    string
}

// answer is what a pass has measured.
type answer struct {
	Cells []Cell
	// Engine is what the harness says of the engine, its options in effect.
	Engine *bench.EngineInfo
	use    Usage // of its process
}

func (p *part) measure(ctx context.Context) (answer, error) {
	switch p.What {
	case PartCommon:
		return runCommon(ctx, &p.Config, p.Engine, p.Side, p.Dir)
	case PartExtras:
		return runExtras(ctx, &p.Config, p.Engine, p.Side, p.Dir)
	case PartHarness:
		return runNull(ctx, &p.Config)
	}
	return answer{}, fmt.Errorf("unknown part %q", p.What)
}

// spawn measures a part in a process of its own, which is this program.
func spawn(ctx context.Context, p part) (out answer, err error) {
	program, err := os.Executable()
	if err != nil {
		return out, err
	}
	request, err := json.Marshal(p)
	if err != nil {
		return out, err
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, program, PartCommand)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(request), &stdout, &stderr
	cmd.SysProcAttr = childAttributes()
	// An interrupt lets it close its store; not for ever.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
	if err != nil {
		return answer{use: usageOf(cmd.ProcessState)}, fmt.Errorf("%w: %s", err, lastLine(stderr.String()))
	}
	err = json.Unmarshal(stdout.Bytes(), &out)
	out.use = usageOf(cmd.ProcessState)
	return out, err
}

// ServePart is the other end of a comparison: it reads from stdin what is to be
// measured, and writes to stdout what was.
func ServePart(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	var p part
	if err := json.NewDecoder(stdin).Decode(&p); err != nil {
		return fmt.Errorf("this is for dbbench overhead's own use: %w", err)
	}
	out, err := p.measure(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(stdout).Encode(out)
}

// Usage is what a process has used.
type Usage struct {
	// CPUUserSeconds and CPUSystemSeconds are those of the whole process.
	CPUUserSeconds   float64 `json:"cpu_user_seconds"`
	CPUSystemSeconds float64 `json:"cpu_system_seconds"`
}

func usageOf(s *os.ProcessState) Usage {
	if s == nil {
		return Usage{}
	}
	return Usage{s.UserTime().Seconds(), s.SystemTime().Seconds()}
}

// A Cell is one workload of one pass.
type Cell struct {
	Workload string
	Micros   float64 // an operation
	Ops      int64   // 0 where they are not told
	// Lookups is how many keys were looked up, of which Found were there; 0 where
	// it isn't told.
	Lookups, Found int64
	CPU            float64 // seconds of the processor in the clock; 0 where it isn't told
	Error          string  // why it isn't measured; empty if it is
}

// runBench makes one pass of the harness and returns its rows.
func runBench(ctx context.Context, b bench.Config, e bench.Engine) (out answer, err error) {
	rec, err := bench.Run(ctx, b, []bench.Engine{e}, nil)
	if err != nil {
		return out, err
	}
	for i := range rec.Results {
		out.Cells = append(out.Cells, cellOf(&rec.Results[i]))
	}
	if len(rec.Engines) != 1 {
		return out, errors.New("the harness has measured no engine")
	}
	out.Engine = &rec.Engines[0]
	return out, nil
}

func cellOf(r *bench.Result) Cell {
	c := Cell{Workload: r.Workload, Micros: r.MicrosPerOp, Ops: r.Ops}
	if r.Status != bench.StatusOK {
		c.Error = fmt.Sprintf("%s: %s", r.Status, r.Error)
	}
	if r.Found != nil && r.Lookups != nil {
		c.Found, c.Lookups = *r.Found, *r.Lookups
	}
	if r.CPUUserSeconds != nil && r.CPUSystemSeconds != nil {
		c.CPU = *r.CPUUserSeconds + *r.CPUSystemSeconds
	}
	return c
}
