package command

import (
	"bytes"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
	"github.com/lsmkit/lsmkit/store/engines"
)

// files lists what is below a folder, with the contents of files that are no
// store's.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if filepath.Ext(path) == ".txt" {
			text, _ := os.ReadFile(path)
			name += "=" + string(text)
		}
		all = append(all, name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Only a writing run without --use-existing-db removes anything, only a store's
// own files, and says so.
func TestA26DataSafety(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		dir := t.TempDir()
		fill(t, engine, dir, 50, 10)
		foreign := []string{"notes.txt=mine", "photos", filepath.Join("photos", "list.txt=too")}
		if err := os.Mkdir(filepath.Join(dir, "photos"), 0o755); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"notes.txt": "mine", "photos/list.txt": "too"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		check := func(what string, wantKeys int) {
			t.Helper()
			left := files(t, dir)
			for _, f := range foreign {
				if !slices.Contains(left, f) {
					t.Errorf("%s: %s is gone", what, f)
				}
			}
			if n := len(keys(t, engine, dir)); n != wantKeys {
				t.Errorf("%s: %d keys, want %d", what, n, wantKeys)
			}
		}
		args := []string{"--engines", engine, "--db", dir, "--num", "20", "--rounds", "2"}
		good(t, append(args, "--workloads", "readrandom,readseq")...)
		check("reading", 50)
		good(t, append(args, "--workloads", "readrandom,readseq", "--use-existing-db")...)
		check("reading what is there", 50)
		rec := good(t, append(args, "--workloads", "fillseq,readrandom", "--use-existing-db")...)
		check("filling what is there", 50)
		if r := rec.Results[0]; r.Status != bench.StatusSkipped || r.Error == "" {
			t.Errorf("fillseq on what is there: %+v", r)
		}
		got, _ := tool(t, append(args, "--workloads", "fillseq,readrandom")...)
		check("filling", 20)
		if got.code != exitOK || !strings.Contains(got.err, dir) || !strings.Contains(got.err, "replaced") || !strings.Contains(got.err, "notes.txt") {
			t.Errorf("filling: code %d, and does not say what it replaces and leaves: %s", got.code, got.err)
		}
	})
}

// A folder that is no store, or another engine's, is refused for writing and
// for reading, and stays as it was.
func TestA26RefusedFolders(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		other := engines.Names()[0]
		if other == engine {
			other = engines.Names()[1]
		}
		plain, theirs := t.TempDir(), t.TempDir()
		if err := os.WriteFile(filepath.Join(plain, "notes.txt"), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		fill(t, other, theirs, 10, 10)
		for _, dir := range []string{plain, theirs} {
			before := files(t, dir)
			for _, workloads := range []string{"fillseq", "readrandom", "compact"} {
				for _, more := range [][]string{nil, {"--use-existing-db"}} {
					got, _ := tool(t, append([]string{"--engines", engine, "--db", dir, "--workloads", workloads, "--num", "10", "--rounds", "1"}, more...)...)
					got.fails(t, exitFailed, dir)
				}
			}
			if after := files(t, dir); !slices.Equal(before, after) {
				t.Errorf("files were %v, are %v", before, after)
			}
		}
	})
}

// In a process of its own with stdout and stderr in files, stdout is results
// and nothing else, in every format.
func TestA27StandardStreams(t *testing.T) {
	for _, format := range report.Formats() {
		t.Run(format, func(t *testing.T) {
			got := ended(t, child(t, "dbbench", "run", "--num", "1000", "--rounds", "2", "--workloads", "fillseq,readrandom", "--format", format), nil)
			if got.code != exitOK || strings.ContainsAny(got.out+got.err, "\x1b\r") {
				t.Errorf("code %d, stderr %q", got.code, got.err)
			}
			if n := strings.Count(got.err, "] leveldb fillseq round "); n != 2 {
				t.Errorf("progress has %d lines of fillseq: %s", n, got.err)
			}
			if strings.Contains(got.out, "] leveldb fillseq round ") {
				t.Errorf("progress on stdout: %s", got.out)
			}
			switch report.Format(format) {
			case report.FormatJSON:
				if _, err := report.Read(strings.NewReader(got.out)); err != nil {
					t.Error(err)
				}
			case report.FormatCSV:
				rows, err := csv.NewReader(strings.NewReader(got.out)).ReadAll()
				if err != nil || len(rows) != 1+2*2*2 {
					t.Errorf("%d lines, %v", len(rows), err)
				}
			}
			if header := strings.Contains(got.err, "options (equal)"); header == (format == string(report.FormatText)) {
				t.Errorf("header on stderr: %v", header)
			}
		})
	}
	got := ended(t, child(t, "dbbench", "run", "--workloads", "fillsqe"), nil)
	got.fails(t, exitUsage, "fillsqe")
}

// A closed pipe behind stdout ends the run with its stores closed.
func TestA27ClosedPipe(t *testing.T) {
	dir := t.TempDir()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(t.TempDir(), "r.json")
	cmd := child(t, "dbbench", "run", "--num", "1e8", "--workloads", "fillrandom", "--db", dir, "--json", record)
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }).Stop()
	r.Close()
	w.Close()
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		t.Errorf("ended with %v", cmd.ProcessState)
	}
	if text, err := os.ReadFile(record); err != nil || !bytes.HasSuffix(text, []byte("}\n")) {
		t.Errorf("the record is %q, %v", text, err)
	}
	for _, name := range engines.Names() {
		path := filepath.Join(dir, name)
		if owner, _ := engines.Detect(path); owner != "" {
			keys(t, name, path)
		}
	}
}

// interrupt sends signals to a process once it has made a store in dir.
func interrupt(t *testing.T, made string, signals ...os.Signal) func(p *os.Process) {
	return func(p *os.Process) {
		for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); {
			if _, err := os.Stat(made); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond) // another process makes it
		}
		time.Sleep(time.Second) // A32: one second into a long fill
		for _, s := range signals {
			if err := p.Signal(s); err != nil {
				t.Error(err)
			}
		}
	}
}

// A signal in the middle of a long fill ends it in about two seconds: what is
// done is printed, what ran is marked, the store is closed and opens again.
func TestA32Interrupt(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		each(t, func(t *testing.T, engine string) {
			dir := t.TempDir()
			record := filepath.Join(dir, "r.json")
			cmd := child(t, "dbbench", "run", "--engines", engine, "--num", "1e9", "--workloads", "fillrandom,readrandom",
				"--db", filepath.Join(dir, "db"), "--json", record)
			var sent time.Time
			stop := interrupt(t, filepath.Join(dir, "db", engine, "CURRENT"), signal)
			got := ended(t, cmd, func(p *os.Process) {
				stop(p)
				sent = time.Now()
			})
			if took := time.Since(sent); got.code != exitInterrupted || took > 4*time.Second {
				t.Errorf("code %d after %v, stderr %s", got.code, took, got.err)
			}
			if !strings.Contains(got.out, "interrupted after ") || !strings.Contains(got.err, "interrupted: stopping") {
				t.Errorf("stdout:\n%s\nstderr:\n%s", got.out, got.err)
			}
			if got.err != "" && strings.Contains(got.err, "not closed") {
				t.Errorf("the store was not closed: %s", got.err)
			}
			f, err := os.Open(record)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			rec, err := report.Read(f)
			if err != nil || !rec.Interrupted() {
				t.Fatalf("the record holds no interrupted row: %v", err)
			}
			last := rec.Results[len(rec.Results)-1]
			if n := len(keys(t, engine, filepath.Join(dir, "db", engine))); last.Ops == 0 || n == 0 {
				t.Errorf("%d operations, %d keys after reopening", last.Ops, n)
			}
		})
	}
}

// Rows that had ended before the signal are printed with their figures.
func TestA32FinishedRowsArePrinted(t *testing.T) { each(t, finishedRowsArePrinted) }

func finishedRowsArePrinted(t *testing.T, engine string) {
	dir := t.TempDir()
	cmd := child(t, "dbbench", "run", "--engines", engine, "--num", "500000", "--reads", "1e9",
		"--workloads", "fillseq,readrandom", "--db", dir, "--format", "json")
	var errs watchedBuffer
	errs.seen = make(chan struct{})
	errs.want = "] " + engine + " fillseq round 1"
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }).Stop()
	<-errs.seen
	time.Sleep(200 * time.Millisecond) // into the next workload, which says nothing before its end
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	rec, err := report.Read(&out)
	if err != nil || cmd.ProcessState.ExitCode() != exitInterrupted || len(rec.Results) != 2 {
		t.Fatalf("%v, %v: %s", cmd.ProcessState, err, errs.b.String())
	}
	if n := len(keys(t, engine, filepath.Join(dir, engine))); n != 500_000 {
		t.Errorf("%d keys after reopening", n)
	}
	if a, b := rec.Results[0], rec.Results[1]; a.Status != bench.StatusOK || a.Ops != 500_000 || b.Status != bench.StatusInterrupted || b.OpsPerSec <= 0 {
		t.Errorf("rows %+v and %+v", a, b)
	}
}

// watchedBuffer tells when it has seen a text.
type watchedBuffer struct {
	b    bytes.Buffer
	want string
	seen chan struct{}
	done bool
}

func (w *watchedBuffer) Write(p []byte) (int, error) {
	w.b.Write(p)
	if !w.done && strings.Contains(w.b.String(), w.want) {
		w.done = true
		close(w.seen)
	}
	return len(p), nil
}

// Two signals in a row end the program at once.
func TestA32SecondSignal(t *testing.T) {
	each(t, func(t *testing.T, engine string) {
		dir := t.TempDir()
		cmd := child(t, "dbbench", "run", "--engines", engine, "--num", "1e9", "--workloads", "fillrandom", "--db", dir)
		var sent time.Time
		stop := interrupt(t, filepath.Join(dir, engine, "CURRENT"), os.Interrupt, syscall.SIGTERM)
		got := ended(t, cmd, func(p *os.Process) {
			stop(p)
			sent = time.Now()
		})
		if took := time.Since(sent); got.code != exitInterrupted || took > time.Second {
			t.Errorf("code %d after %v", got.code, took)
		}
		if n := len(keys(t, engine, filepath.Join(dir, engine))); n == 0 { // it opens again
			t.Error("no keys after reopening")
		}
	})
}

// A call that can't be interrupted is left alone: the tool says so and ends
// without closing the store.
func TestA32CallThatCannotBeInterrupted(t *testing.T) {
	cmd := child(t, "stuck", "run", "--engines", "leveldb", "--num", "1000", "--rounds", "1", "--workloads", "fillseq,compact")
	var errs watchedBuffer
	errs.seen = make(chan struct{})
	errs.want = "] leveldb fillseq round 1"
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }).Stop()
	<-errs.seen
	time.Sleep(200 * time.Millisecond) // into the next workload, which says nothing before its end
	sent := time.Now()
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if took := time.Since(sent); cmd.ProcessState.ExitCode() != exitInterrupted || took > 4*time.Second {
		t.Errorf("%v after %v", cmd.ProcessState, took)
	}
	for _, want := range []string{"fillseq      : ", "compact      : round 1 interrupted", "can't interrupt a compaction"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in:\n%s", want, out.String())
		}
	}
}

// The built program is the same as what the tests run.
func TestBuiltProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dbbench")
	if out, err := exec.Command("go", "build", "-o", path, "..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(path, "list", "engines")
	if got := ended(t, cmd, nil); got.code != exitOK || !strings.Contains(got.out, "leveldb") {
		t.Errorf("code %d, stdout %q, stderr %q", got.code, got.out, got.err)
	}
}
