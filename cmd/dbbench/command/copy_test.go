package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/engines"
)

// The command line of copy, on in-memory engines, and what it does to folders, on
// the real ones.

// copied is copyResult as its readers see it.
type copied struct {
	Schema   int
	From, To struct{ Engine, Path string }
	Status   bench.Status
	Error    string
	Entries  uint64
	Bytes    uint64
	Found    uint64 `json:"entries_found"`
	Seconds  float64
	Verified bool
	SHA256   string
}

// runCopy runs dbbench copy with a result in JSON, which is nil if there is none.
func runCopy(t *testing.T, d Deps, from, to string, more ...string) (output, *copied) {
	t.Helper()
	got := execute(t, d, append([]string{"copy", "--from", from, "--to", to, "--format", "json"}, more...)...)
	return got, parseCopied(t, got)
}

func parseCopied(t *testing.T, got output) *copied {
	t.Helper()
	if got.out == "" {
		return nil
	}
	var r copied
	if err := json.Unmarshal([]byte(got.out), &r); err != nil || r.Schema != 1 {
		t.Fatalf("stdout is no result: %v\n%s", err, got.out)
	}
	return &r
}

func realEngines() Deps { return Deps{Engines: Engines()} }

// allFiles has the names of all files in a folder with what is in them.
func allFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func wantSame(t *testing.T, before, after map[string]string) {
	t.Helper()
	for path, text := range after {
		if old, ok := before[path]; !ok || old != text {
			t.Errorf("%s was changed, or is new", path)
		}
	}
	for path := range before {
		if _, ok := after[path]; !ok {
			t.Errorf("%s is gone", path)
		}
	}
}

// pairs runs fn for each engine as the source and each as the destination.
func pairs(t *testing.T, fn func(t *testing.T, from, to string)) {
	each(t, func(t *testing.T, from string) {
		each(t, func(t *testing.T, to string) { fn(t, from, to) })
	})
}

// A store is copied between any two engines; the source stays as it was.
func TestCopyStores(t *testing.T) {
	pairs(t, func(t *testing.T, from, to string) {
		src, dst := filepath.Join(t.TempDir(), "source"), filepath.Join(t.TempDir(), "new", "store")
		fill(t, from, src, 20_000, 100)
		before := allFiles(t, src)
		got, r := runCopy(t, realEngines(), from+":"+src, to+":"+dst)
		if got.code != exitOK || r == nil {
			t.Fatalf("code %d, stderr %s", got.code, got.err)
		}
		if from == "rocksdb" { // LevelDB has no way to open a store and leave its files
			wantSame(t, before, allFiles(t, src))
		}
		if r.Status != bench.StatusOK || r.Entries != 20_000 || r.Found != 0 || !r.Verified || len(r.SHA256) != 64 || r.Seconds <= 0 {
			t.Errorf("%+v", r)
		}
		if r.From.Engine != from || r.From.Path != src || r.To.Engine != to || r.To.Path != dst {
			t.Errorf("%+v", r)
		}
		if !slices.Equal(keys(t, to, dst), keys(t, from, src)) {
			t.Error("the keys differ")
		}
		db, err := engines.Open(to, dst, nil)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := store.Checksum(t.Context(), db, store.KeyRange{})
		if err != nil || sum.String() != r.SHA256 || sum.Bytes != r.Bytes {
			t.Errorf("the copy has the digest %+v, %v", sum, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

// What is wrong on the command line is one clear line, before any store is opened.
func TestCopyUsage(t *testing.T) {
	for args, want := range map[string]string{
		"":                                                 "--from ENGINE:FOLDER is missing",
		"--to rocksdb:b":                                   "--from ENGINE:FOLDER is missing",
		"--from leveldb:a":                                 "--to ENGINE:FOLDER is missing",
		"--from a --to rocksdb:b":                          "--from a: is not of the form ENGINE:FOLDER",
		"--from :a --to rocksdb:b":                         "--from :a: is not of the form ENGINE:FOLDER",
		"--from= --to rocksdb:b":                           `--from "": is not of the form ENGINE:FOLDER`,
		"--from leveldb: --to rocksdb:b":                   "--from leveldb:: names no folder",
		"--from levldb:a --to rocksdb:b":                   "--from: unknown engine levldb; did you mean leveldb?",
		"--from leveldb:a --to badger:b":                   "--to: unknown engine badger",
		"--from leveldb:a --to rocksdb:a":                  "the same folder, a",
		"--from leveldb:a --to leveldb:x/../a":             "the same folder, a",
		"--from leveldb:a --to rocksdb:a/b":                "--to a/b is in the folder of --from",
		"--from leveldb:a/b --to rocksdb:a":                "--from a/b is in the folder of --to",
		"--from leveldb:a --to rocksdb:b c":                "unexpected argument c",
		"--from leveldb:a --to rocksdb:b --format csv":     "--format csv: is not one of text, json",
		"--from leveldb:a --to rocksdb:b --verify=perhaps": "--verify perhaps: neither true nor false",
		"--from leveldb:a --too rocksdb:b":                 "unknown flag --too; did you mean --to?",
	} {
		execute(t, untouched(t), append([]string{"copy"}, strings.Fields(args)...)...).fails(t, exitUsage, want)
	}
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", link); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{filepath.Join(dir, "real"), dir + "//real/.", link + "/"} {
		got, _ := runCopy(t, untouched(t), "leveldb:"+link, "rocksdb:"+to)
		got.fails(t, exitUsage, "the same folder")
	}
	got, _ := runCopy(t, untouched(t), "leveldb:"+filepath.Join(dir, "real"), "rocksdb:"+link+"/new/one")
	got.fails(t, exitUsage, "is in the folder of --from")
}

// A destination that has anything in it is refused, and stays as it was; so does
// one where the source can't be opened.
func TestCopyRefusedFolders(t *testing.T) {
	pairs(t, func(t *testing.T, from, to string) {
		dir := t.TempDir()
		src, theirs, plain := filepath.Join(dir, "source"), filepath.Join(dir, "theirs"), filepath.Join(dir, "plain")
		fill(t, from, src, 100, 10)
		fill(t, to, theirs, 10, 20)
		if err := os.MkdirAll(filepath.Join(plain, "photos"), 0o755); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "file")
		if err := os.WriteFile(file, []byte("text"), 0o644); err != nil {
			t.Fatal(err)
		}
		foreign := filepath.Join(dir, "foreign")
		fill(t, otherThan(to), foreign, 10, 10)
		before := allFiles(t, dir)
		for path, want := range map[string]string{
			theirs:  "--resume goes on",
			plain:   "is no store, and not empty: photos",
			foreign: "another engine",
			file:    "not a folder",
		} {
			got, _ := runCopy(t, realEngines(), from+":"+src, to+":"+path)
			got.fails(t, exitFailed, want)
			if path != theirs {
				got, _ = runCopy(t, realEngines(), from+":"+src, to+":"+path, "--resume")
				got.fails(t, exitFailed, strings.Replace(want, "--resume goes on", "", 1))
			}
		}
		for _, wrong := range []string{filepath.Join(dir, "missing"), plain, foreign} {
			if from != to && wrong == foreign {
				continue // it is the source's engine
			}
			got, _ := runCopy(t, realEngines(), from+":"+wrong, to+":"+filepath.Join(dir, "new"))
			got.fails(t, exitFailed, wrong)
		}
		after := allFiles(t, dir)
		if from == "leveldb" { // whose opening changes files
			for _, all := range []map[string]string{before, after} {
				for path := range all {
					if strings.HasPrefix(path, src) {
						delete(all, path)
					}
				}
			}
		}
		wantSame(t, before, after)
		// A store with other contents is none to go on with.
		got, r := runCopy(t, realEngines(), from+":"+src, to+":"+theirs, "--resume")
		if got.code != exitFailed || r.Status != bench.StatusFailed || r.Verified || !strings.Contains(got.err, "another value") {
			t.Errorf("code %d, %+v, stderr %s", got.code, r, got.err)
		}
		if n := len(keys(t, to, theirs)); n != 10 {
			t.Errorf("%d keys are left", n)
		}
	})
}

func otherThan(engine string) string {
	names := engines.Names()
	if names[0] == engine {
		return names[1]
	}
	return names[0]
}

// A store that is in use is not copied, and not disturbed.
func TestCopyStoreInUse(t *testing.T) {
	src, dst := t.TempDir(), filepath.Join(t.TempDir(), "new")
	fill(t, "leveldb", src, 10, 10)
	startHolding(t, "leveldb", src)
	got, _ := runCopy(t, realEngines(), "leveldb:"+src, "rocksdb:"+dst)
	got.fails(t, exitFailed, "locked")
	if _, err := os.Stat(dst); err == nil {
		t.Error("the destination was made")
	}
	fill(t, "rocksdb", dst, 10, 10)
	startHolding(t, "rocksdb", dst)
	other := t.TempDir()
	fill(t, "leveldb", other, 10, 10)
	got, _ = runCopy(t, realEngines(), "leveldb:"+other, "rocksdb:"+dst, "--resume")
	got.fails(t, exitFailed, "locked")
}

// Damage in the source ends the copy with an error; what was read before is there.
func TestCopyDamagedSource(t *testing.T) {
	pairs(t, func(t *testing.T, from, to string) {
		src, dst := filepath.Join(t.TempDir(), "source"), filepath.Join(t.TempDir(), "new")
		fill(t, from, src, 20_000, 100)
		damageTable(t, src)
		got, r := runCopy(t, realEngines(), from+":"+src, to+":"+dst)
		if got.code != exitFailed || r == nil || !strings.Contains(got.err, "corruption") {
			t.Fatalf("code %d, %+v, stderr %s", got.code, r, got.err)
		}
		if r.Status != bench.StatusFailed || !strings.Contains(r.Error, "corruption") || r.Verified || r.Entries == 0 || r.Entries >= 20_000 {
			t.Errorf("%+v", r)
		}
		if n := len(keys(t, to, dst)); n != int(r.Entries) {
			t.Errorf("%d entries, want %d", n, r.Entries)
		}
	})
}

// damageTable flips bytes in the middle of a store's first table.
func damageTable(t *testing.T, path string) {
	t.Helper()
	var tables []string
	for _, pattern := range []string{"*.ldb", "*.sst"} {
		found, _ := filepath.Glob(filepath.Join(path, pattern))
		tables = append(tables, found...)
	}
	if len(tables) == 0 {
		t.Fatal("no table files")
	}
	data, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range 128 {
		data[len(data)/2+i] ^= 0xFF
	}
	if err := os.WriteFile(tables[0], data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// writing is a store that calls on before each write, with its number.
type writing struct {
	store.DB
	n  int
	on func(n int, b *store.Batch, o *store.WriteOptions)
}

func (w *writing) Write(b *store.Batch, o *store.WriteOptions) error {
	w.n++
	w.on(w.n, b, o)
	return w.DB.Write(b, o)
}

// onWrite returns a table whose stores at path call on before each write.
func onWrite(table []bench.Engine, path string, on func(n int, b *store.Batch, o *store.WriteOptions)) []bench.Engine {
	table = slices.Clone(table)
	for i := range table {
		open := table[i].Open
		table[i].Open = func(p string, o store.Options) (store.DB, error) {
			db, err := open(p, o)
			if err != nil || p != path {
				return db, err
			}
			return &writing{DB: db, on: on}, nil
		}
	}
	return table
}

// Ctrl-C keeps what was copied and says how to go on, which then works.
func TestCopyInterruptedAndResumed(t *testing.T) {
	pairs(t, func(t *testing.T, from, to string) {
		src, dst := filepath.Join(t.TempDir(), "a source"), filepath.Join(t.TempDir(), "new")
		fill(t, from, src, 50_000, 100)
		signals := make(chan os.Signal, 2)
		d := Deps{
			Engines: onWrite(Engines(), dst, func(n int, _ *store.Batch, o *store.WriteOptions) {
				if n == 3 {
					signals <- os.Interrupt
					<-o.Context.Done()
				}
			}),
			Interrupts: func() (<-chan os.Signal, func()) { return signals, func() {} },
		}
		got, r := runCopy(t, d, from+":"+src, to+":"+dst)
		again := "dbbench copy --from '" + from + ":" + src + "' --to " + to + ":" + dst + " --resume\n"
		if got.code != exitInterrupted || r == nil || !strings.Contains(got.err, again) || !strings.Contains(got.err, "interrupted: stopping") {
			t.Fatalf("code %d, %+v, stderr %s", got.code, r, got.err)
		}
		if r.Status != bench.StatusInterrupted || r.Entries == 0 || r.Entries >= 50_000 || r.Verified || r.Error != "" {
			t.Errorf("%+v", r)
		}
		if n := len(keys(t, to, dst)); n != int(r.Entries) {
			t.Errorf("%d entries, want %d", n, r.Entries)
		}
		got, rest := runCopy(t, realEngines(), from+":"+src, to+":"+dst, "--resume")
		if got.code != exitOK || rest.Found != r.Entries || rest.Found+rest.Entries != 50_000 || !rest.Verified {
			t.Errorf("code %d, %+v, stderr %s", got.code, rest, got.err)
		}
		got, rest = runCopy(t, realEngines(), from+":"+src, to+":"+dst, "--resume")
		if got.code != exitOK || rest.Found != 50_000 || rest.Entries != 0 || !rest.Verified {
			t.Errorf("complete: code %d, %+v, stderr %s", got.code, rest, got.err)
		}
	})
}

// A second Ctrl-C ends at once, whatever the engine does.
func TestCopyInterruptedTwice(t *testing.T) {
	signals, let := make(chan os.Signal, 2), make(chan struct{})
	defer close(let)
	d := Deps{
		Engines: onWrite(sourced(t, "old", 100), "new", func(int, *store.Batch, *store.WriteOptions) {
			signals <- os.Interrupt
			signals <- os.Interrupt
			<-let
		}),
		Interrupts: func() (<-chan os.Signal, func()) { return signals, func() {} },
	}
	got, _ := runCopy(t, d, "leveldb:old", "rocksdb:new")
	got.fails(t, exitInterrupted, "again to end at once")
}

// killedEngines is a table that ends this process in the middle of a copy.
func killedEngines(args []string) []bench.Engine {
	_, dst, _ := strings.Cut(args[len(args)-1], ":")
	return onWrite(Engines(), dst, func(n int, _ *store.Batch, _ *store.WriteOptions) {
		if n == 4 {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	})
}

// After a kill, what was acknowledged is there, and the copy goes on from it.
func TestCopyKilledAndResumed(t *testing.T) {
	pairs(t, func(t *testing.T, from, to string) {
		src, dst := filepath.Join(t.TempDir(), "source"), filepath.Join(t.TempDir(), "new")
		fill(t, from, src, 60_000, 100)
		got := ended(t, child(t, "killed", "copy", "--from", from+":"+src, "--to", to+":"+dst), nil)
		if got.code != -1 || got.out != "" {
			t.Fatalf("code %d, stdout %s, stderr %s", got.code, got.out, got.err)
		}
		there := len(keys(t, to, dst))
		if there < 20_000 || there >= 60_000 {
			t.Errorf("%d entries after the kill", there)
		}
		again, r := runCopy(t, realEngines(), from+":"+src, to+":"+dst, "--resume")
		if again.code != exitOK || int(r.Found) != there || r.Found+r.Entries != 60_000 || !r.Verified {
			t.Errorf("code %d, %+v, stderr %s", again.code, r, again.err)
		}
	})
}

// sourced is a table of in-memory engines, with a store of n entries at path for
// leveldb.
func sourced(t *testing.T, path string, n int) []bench.Engine {
	t.Helper()
	table := fakeEngines()
	db, err := table[0].Open(path, store.Options{CreateIfMissing: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := db.Put(fmt.Appendf(nil, "key%04d", i), []byte("value"), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return table
}

// A copy that is not like its source is a failure that names the first difference.
func TestCopyDiffers(t *testing.T) {
	d := Deps{Engines: onWrite(sourced(t, "old", 100), "new", func(n int, b *store.Batch, _ *store.WriteOptions) {
		if err := b.Delete([]byte("key0042")); err != nil {
			t.Error(err)
		}
	})}
	got, r := runCopy(t, d, "leveldb:old", "rocksdb:new")
	want := `the copy differs from the source: 99 entries of 1188 bytes, not 100 of 1200; first at key "key0042"`
	if got.code != exitFailed || r.Status != bench.StatusFailed || r.Verified || r.SHA256 != "" || r.Error != want || !strings.Contains(got.err, want) {
		t.Errorf("code %d, %+v, stderr %s", got.code, r, got.err)
	}
	got, _ = runCopy(t, d, "leveldb:old", "rocksdb:new", "--verify=false")
	got.fails(t, exitFailed, "--resume goes on")
	d.Engines = sourced(t, "old", 100)
	got, r = runCopy(t, d, "leveldb:old", "rocksdb:new", "--verify=false")
	if got.code != exitOK || r.Verified || r.SHA256 != "" || r.Entries != 100 {
		t.Errorf("not verified: code %d, %+v", got.code, r)
	}
}

// The result is on stdout, and the progress on stderr.
func TestCopyOutput(t *testing.T) {
	d := Deps{Engines: sourced(t, "old", 1234)}
	got := execute(t, d, "copy", "--from", "leveldb:old", "--to", "rocksdb:new")
	for _, want := range []string{"from      leveldb:old\n", "to        rocksdb:new\n", "status    ok\n", "entries   1,234 entries copied\n", "bytes     14 KiB of keys and values\n", "verified  sha256 "} {
		if !strings.Contains(got.out, want) {
			t.Errorf("%q is not in:\n%s", want, got.out)
		}
	}
	if got.code != exitOK || !strings.HasPrefix(got.err, "[1/2] copy: 1,234 entries copied, ") || !strings.Contains(got.err, "\n[2/2] verify: sha256 ") || strings.Count(got.err, "\n") != 2 {
		t.Errorf("code %d, stderr %q", got.code, got.err)
	}
	for _, flag := range []string{"--quiet", "--progress=never"} {
		got = execute(t, d, "copy", "--from", "leveldb:old", "--to", "rocksdb:new", "--resume", flag)
		if got.code != exitOK || got.err != "" || !strings.Contains(got.out, "0 entries copied, 1,234 there already") {
			t.Errorf("%s: code %d, stdout %q, stderr %q", flag, got.code, got.out, got.err)
		}
	}
	// On a terminal there is a bar, and none is left.
	var out, errs bytes.Buffer
	d.Terminal = fakeTerminal
	code := Main(t.Context(), []string{"copy", "--from", "leveldb:old", "--to", "rocksdb:another"}, &out, terminal{&errs}, d)
	if code != exitOK || !strings.Contains(out.String(), "1,234 entries copied") || strings.Contains(errs.String(), "[1/2]") {
		t.Errorf("code %d, stdout %q, stderr %q", code, out.String(), errs.String())
	}
}
