package storetest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"

	"github.com/lsmkit/lsmkit/store"
)

// What opening does with paths and options.
func openCases() []testCase {
	return []testCase{
		{name: "OpenMissing", run: openMissing},
		{name: "OpenExisting", run: openExisting},
		{name: "OpenBadOptions", run: openBadOptions},
		{name: "A15_OpenTwice", run: openTwice, crash: true},
		{name: "A16_Paths", run: paths, crash: true},
		{name: "A31_ReadOnly", run: readOnly},
	}
}

// refuseOpen checks that opening fails with an error of the kind, and gives no
// store.
func (t *env) refuseOpen(path string, o store.Options, kind error, what string) {
	t.Helper()
	db, err := t.openWith(path, o)
	if db != nil {
		t.Errorf("%s: a store came back, with error %v", what, err)
		if err == nil {
			t.close(db)
		}
	}
	if path == "" && errors.Is(err, kind) {
		return // there is no path to tell
	}
	t.wantKind(err, kind, what)
}

// untouched checks that nothing is at path.
func (t *env) untouched(path, what string) {
	t.Helper()
	if _, err := os.Lstat(path); err == nil {
		t.Errorf("%s: something was made at the path", what)
	}
}

func openMissing(t *env) {
	path := t.path()
	o := t.options()
	o.CreateIfMissing = false
	t.refuseOpen(path, o, store.ErrNotExist, "missing store")
	t.untouched(path, "missing store")
	t.refuseOpen(filepath.Join(path, "no", "parent"), o, store.ErrNotExist, "missing parent")
	t.untouched(path, "missing parent")
}

func openExisting(t *env) {
	path := t.path()
	o := t.options()
	o.ErrorIfExists = true
	db, err := t.openWith(path, o)
	t.must(err, "open of a new store with ErrorIfExists")
	t.put(db, "k", "v")
	t.close(db)
	t.refuseOpen(path, o, store.ErrExists, "existing store")
	o.CreateIfMissing, o.ErrorIfExists = false, false
	db, err = t.openWith(path, o)
	t.must(err, "open without CreateIfMissing")
	t.wantContents(db, rows("k", "v"), "existing store")
	t.close(db)
}

func openBadOptions(t *env) {
	path := t.path()
	for what, spoil := range map[string]func(o *store.Options){
		"write buffer":     func(o *store.Options) { o.WriteBufferSize = -1 },
		"block cache":      func(o *store.Options) { o.BlockCacheSize = -1 },
		"block size":       func(o *store.Options) { o.BlockSize = -1 },
		"calls":            func(o *store.Options) { o.MaxCalls = -1 },
		"restart interval": func(o *store.Options) { o.BlockRestartInterval = -1 },
		"open files":       func(o *store.Options) { o.MaxOpenFiles = -2 },
		"file size":        func(o *store.Options) { o.MaxFileSize = -1 },
		"bloom bits":       func(o *store.Options) { o.BloomBits = -1 },
		"checksums":        func(o *store.Options) { o.VerifyChecksums = 3 },
		"paranoid checks":  func(o *store.Options) { o.ParanoidChecks = 200 },
		"recovery":         func(o *store.Options) { o.Recovery = 2 },
		"compression":      func(o *store.Options) { o.Compression = "gzip" },
	} {
		o := t.options()
		spoil(&o)
		t.refuseOpen(path, o, store.ErrInvalidArgument, what)
		t.untouched(path, what)
	}
}

// The second open is refused and does the first no harm, by any spelling of
// the path.
func openTwice(t *env) {
	path := t.path()
	db := t.open(path)
	t.put(db, "k", "v")
	dir, base := filepath.Split(path)
	spellings := []string{path, path + "/", dir + "./" + base, dir + "x/../" + base}
	if !t.cfg.InMemory {
		link := filepath.Join(t.TempDir(), "link")
		t.must(os.Symlink(path, link), "symlink")
		spellings = append(spellings[:3], link, link+"/.")
	}
	for _, p := range spellings {
		t.refuseOpen(p, t.options(), store.ErrLocked, "second open")
		t.put(db, "k", "v")
		t.wantContents(db, rows("k", "v"), "first store")
	}
	t.close(db)
	for _, p := range spellings {
		db = t.open(p)
		t.wantContents(db, rows("k", "v"), "opened after close")
		t.close(db)
	}
}

func paths(t *env) {
	dir := t.TempDir()
	for _, name := range []string{"no/such/parent/db", "with space/db", "Ünïcødé-数据/db", "trailing/", "100%s/d\"b'$HOME", "new\nline"} {
		path := filepath.Join(dir, name)
		for range 2 {
			db := t.open(path)
			t.put(db, "k", name)
			t.wantGet(db, "k", name)
			t.close(db)
		}
	}
	t.refuseOpen("", t.options(), store.ErrInvalidArgument, "empty path")
	cut := filepath.Join(dir, "cut")
	t.refuseOpen(cut+"\x00tail", t.options(), store.ErrInvalidArgument, "path with a NUL")
	t.untouched(cut, "path with a NUL")
	if t.cfg.InMemory {
		return
	}
	file := filepath.Join(dir, "file")
	content := []byte("not a store")
	t.must(os.WriteFile(file, content, 0o600), "write file")
	t.refuseOpen(file, t.options(), store.ErrInvalidArgument, "regular file")
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, content) {
		t.Errorf("the file was changed: %q, %v", got, err)
	}
}

// Either the engine opens read-only and refuses every write, or it says that
// it has no such mode.
func readOnly(t *env) {
	path := t.path()
	o := t.options()
	o.ReadOnly = true
	if !t.cfg.ReadOnly {
		t.refuseOpen(path, o, store.ErrNotSupported, "read-only")
		t.untouched(path, "read-only")
		return
	}
	t.refuseOpen(path, o, store.ErrNotExist, "read-only at a missing path")
	t.untouched(path, "read-only at a missing path")
	db := t.open(path)
	all := numbered(50)
	t.fill(db, all)
	t.close(db)
	for range 2 {
		db, err := t.openWith(path, o)
		t.must(err, "open read-only")
		t.wantContents(db, all, "read-only")
		for what, err := range map[string]error{
			"put":          db.Put([]byte("k"), []byte("v"), nil),
			"delete":       db.Delete(all[0].k, store.Sync),
			"delete range": db.DeleteRange(nil, nil, nil),
			"write":        db.Write(t.batchOf("+k=v"), nil),
		} {
			t.wantKind(err, store.ErrReadOnly, what)
		}
		s := t.snapshot(db)
		t.wantContents(s, all, "snapshot of a read-only store")
		t.release(s)
		t.close(db)
		t.allClosed(readerCalls(db), "read-only after close")
	}
}
