package bench

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// What a library tells of its options goes before what is known of them, from the
// first word that anybody hears of the run.
func TestReadBackOfOptions(t *testing.T) {
	e := newFake("alpha").engine()
	var asked []store.Options
	e.ReadBack = func(o store.Options) (Told, error) {
		asked = append(asked, o)
		return Told{
			Options: OptionList{{Name: OptBlockSize, Value: int64(12345)}, {Name: OptReads, Value: "by hand"}, {Name: OptChecksum, Value: "none", Note: "why not"}},
			Codecs:  []string{"zip"},
		}, nil
	}
	cfg := smallConfig(t, "fillseq", "readseq")
	cfg.BlockSize, cfg.Rounds = ptr[int64](8192), 2
	first := &firstRecord{}
	rec := mustRun(t, cfg, first, e)
	if len(asked) != 1 || asked[0].BlockSize != 8192 {
		t.Errorf("asked %d times: %+v", len(asked), asked)
	}
	for _, info := range []EngineInfo{first.engines[0], rec.Engines[0]} {
		for name, want := range map[string]any{OptBlockSize: int64(12345), OptReads: "by hand", OptChecksum: "none", OptWriteBufferSize: int64(64 << 20)} {
			if got, ok := info.Options.Get(name); !ok || got.Value != want {
				t.Errorf("%s is %v", name, got.Value)
			}
		}
		if got, ok := info.Requested.Get(OptBlockSize); !ok || got.Value != int64(8192) {
			t.Errorf("asked for %+v", info.Requested)
		}
		if info.Notes[OptReads] != "as it is" || info.Notes[OptChecksum] != "why not" || len(info.Codecs) != 1 {
			t.Errorf("%+v", info)
		}
	}
	if !warned(rec, WarnClipped) || warned(rec, WarnNotReadBack) {
		t.Errorf("%v", rec.Warnings)
	}
}

// firstRecord notes the engines that a run begins with.
type firstRecord struct {
	NopObserver
	engines []EngineInfo
}

func (f *firstRecord) RunStarted(rec *Record) { f.engines = append(f.engines, rec.Engines...) }

// A library that can't be asked is told of, and the run goes on.
func TestReadBackThatFails(t *testing.T) {
	e := newFake("alpha").engine()
	e.ReadBack = func(store.Options) (Told, error) { return Told{}, errors.New("no room") }
	rec := mustRun(t, smallConfig(t, "fillseq"), nil, e)
	wantOK(t, rec)
	if w := findWarning(rec, WarnNotReadBack); w == nil || !strings.Contains(w.Text, "alpha") || !strings.Contains(w.Text, "no room") {
		t.Errorf("%v", rec.Warnings)
	}
	if o, _ := rec.Engines[0].Options.Get(OptBlockSize); o.Value != int64(4096) {
		t.Errorf("block size %v", o.Value)
	}
}

// Memory is trimmed before each cell that measures.
func TestTrim(t *testing.T) {
	e := newFake("alpha").engine()
	n := 0
	e.Trim = func() { n++ }
	mustRun(t, smallConfig(t, "fillseq", "readseq", "readrandom"), nil, e)
	if n != 3 {
		t.Errorf("%d times for 3 cells", n)
	}
}

func TestGuardDebugLibrary(t *testing.T) {
	a, b := newFake("alpha").engine(), newFake("beta").engine()
	b.Slow = func() string { return "it has its assertions in it" }
	a.Slow = func() string { return "" }
	cfg := smallConfig(t, "fillseq")
	cfg.Engines = []string{"alpha", "beta"}
	rec := mustRun(t, cfg, nil, a, b)
	n := 0
	for _, w := range rec.Warnings {
		if strings.HasPrefix(w.Text, "the library of beta was built for debugging: it has its assertions") && w.Code == WarnDebugBuild {
			n++
		} else if w.Code == WarnDebugBuild && strings.Contains(w.Text, "alpha") {
			t.Errorf("%v", w)
		}
	}
	if n != 1 {
		t.Errorf("%v", rec.Warnings)
	}
}

// spinEnv makes the test binary a program that keeps one processor busy until its
// stdin ends.
const spinEnv = "LSMKIT_BENCH_SPIN"

func TestMain(m *testing.M) {
	if os.Getenv(spinEnv) == "" {
		os.Exit(m.Run())
	}
	var ended atomic.Bool
	go func() {
		os.Stdin.Read(make([]byte, 1))
		ended.Store(true)
	}()
	for !ended.Load() {
	}
}

// Other programs are noticed while the run goes on: here as many as there are
// processors, for a run of some seconds.
func TestGuardOtherPrograms(t *testing.T) {
	if readBusy() == nil {
		t.Skip("the machine doesn't tell")
	}
	for range runtime.NumCPU() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), spinEnv+"=1")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer cmd.Wait()
		defer in.Close()
	}
	cfg := smallConfig(t, "fillseq", "readrandom")
	cfg.Duration = Duration(time.Second)
	rec := mustRun(t, cfg, nil, newFake("alpha").engine())
	found := false
	for _, w := range rec.Warnings {
		found = found || w.Code == WarnOtherLoad && strings.Contains(w.Text, "during the run")
	}
	if !found {
		t.Errorf("no warning: %v", rec.Warnings)
	}
}
