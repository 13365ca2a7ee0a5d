package bench

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/lsmkit/lsmkit/store"
	"github.com/lsmkit/lsmkit/store/memstore"
)

// fakeDisk is an engine whose data is in memstores and whose folders hold one
// file, so that what a run does to folders can be seen without C.
type fakeDisk struct {
	name  string
	mu    sync.Mutex
	disks map[string]*memstore.Disk
	open  int      // stores open now
	calls []string // "open", "close", "destroy"
	// wrap, if not nil, is put round each store that is opened.
	wrap func(store.DB) store.DB
	// failOpen, if not nil, is what Open gives.
	failOpen func() error
}

func newFake(name string) *fakeDisk {
	return &fakeDisk{name: name, disks: map[string]*memstore.Disk{}}
}

func (f *fakeDisk) file() string { return f.name + ".store" }

func (f *fakeDisk) engine() Engine {
	return Engine{
		Name:      f.name,
		Version:   func() string { return "1.0" },
		Open:      f.openStore,
		Destroy:   f.destroyStore,
		Detect:    f.detect,
		Effective: f.effective,
		Stock:     store.Options{WriteBufferSize: 4 << 20, MaxFileSize: 2 << 20, BlockCacheSize: 8 << 20, BlockSize: 4096, BlockRestartInterval: 16, MaxOpenFiles: 1000},

		CompactInterruptible: true,
	}
}

// effective clips the block size, as engines do, and knows one codec.
func (f *fakeDisk) effective(o store.Options) (store.Options, OptionList, error) {
	if o.Compression != store.Snappy && o.Compression != store.DefaultCompression && o.Compression != store.NoCompression {
		return o, nil, &store.Error{Engine: f.name, Op: "options", Kind: store.ErrNotSupported, Msg: string(o.Compression)}
	}
	o.BlockSize = min(o.BlockSize, 4<<20)
	return o, OptionList{{Name: OptReads, Value: f.name, Note: "as it is"}}, nil
}

func (f *fakeDisk) openStore(path string, o store.Options) (store.DB, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, "open")
	if f.failOpen != nil {
		if err := f.failOpen(); err != nil {
			return nil, err
		}
	}
	if f.disks[path] == nil {
		f.disks[path] = memstore.NewDisk()
	}
	db, err := f.disks[path].Open(path, &o)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(path, f.file()), nil, 0o644); err != nil {
		return nil, err
	}
	f.open++
	var wrapped store.DB = &fakeDB{DB: db, disk: f}
	if f.wrap != nil {
		wrapped = f.wrap(wrapped)
	}
	return wrapped, nil
}

func (f *fakeDisk) destroyStore(path string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, "destroy")
	delete(f.disks, path)
	if err := os.Remove(filepath.Join(path, f.file())); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return &store.Error{Engine: f.name, Op: "destroy", Kind: store.ErrNotExist}
		}
		return err
	}
	os.Remove(path) // fails if something else is in it
	return nil
}

func (f *fakeDisk) detect(path string) (string, error) {
	for _, name := range []string{"alpha", "beta"} {
		if _, err := os.Stat(filepath.Join(path, name+".store")); err == nil {
			return name, nil
		}
	}
	return "", nil
}

// keep makes what is in memory survive for a new fake, as a file would.
func (f *fakeDisk) keep(g *fakeDisk) { g.disks = f.disks }

// fakeDB notes when it is closed.
type fakeDB struct {
	store.DB
	disk *fakeDisk
}

func (db *fakeDB) Close() error {
	db.disk.mu.Lock()
	db.disk.open--
	db.disk.calls = append(db.disk.calls, "close")
	db.disk.mu.Unlock()
	return db.DB.Close()
}

// smallConfig is a run of one round over few keys in a folder that is new.
func smallConfig(t *testing.T, workloads ...string) Config {
	t.Helper()
	c := DefaultConfig()
	c.Engines = []string{"alpha"}
	c.Workloads = workloads
	c.Num = 1000
	c.Rounds = 1
	c.DB = filepath.Join(t.TempDir(), "db")
	return c
}

// mustRun runs and fails the test on an error.
func mustRun(t *testing.T, c Config, obs Observer, engines ...Engine) *Record {
	t.Helper()
	rec, err := Run(context.Background(), c, engines, obs)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// wantOK fails the test for every row that is not ok.
func wantOK(t *testing.T, rec *Record) {
	t.Helper()
	for _, r := range rec.Results {
		if r.Status != StatusOK {
			t.Errorf("%s %s: %s: %s", r.Engine, r.Workload, r.Status, r.Error)
		}
	}
}

// entryCount walks over what a run has left in a store.
func entryCount(t *testing.T, f *fakeDisk, path string) int64 {
	t.Helper()
	db, err := f.openStore(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	it, err := db.NewIterator(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	n := int64(0)
	for ok := it.First(); ok; ok = it.Next() {
		n++
	}
	if err := it.Err(); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestCompiled(t *testing.T) {
	for _, c := range []struct {
		library string
		want    Build
		text    string
	}{
		{"", Build{BuildSystem, ""}, "system"},
		{"tuned", Build{BuildTuned, ""}, "tuned"},
		{"stock g++ 12.2.0 -O2 -DNDEBUG", Build{BuildStock, "g++ 12.2.0 -O2 -DNDEBUG"}, "stock g++ 12.2.0 -O2 -DNDEBUG"},
	} {
		e := Engine{Build: func() string { return c.library }}
		if got := e.Compiled(); *got != c.want || got.String() != c.text {
			t.Errorf("%+v, %q, want %+v, %q", *got, got, c.want, c.text)
		}
	}
	if got := (&Engine{}).Compiled(); got != nil || got.String() != "unknown" {
		t.Errorf("no library gives %+v, %q", got, got)
	}
}
