package dir

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// A tree of which Detect is to tell an engine, and possibly an error.
type detectCase struct {
	name string
	tree tree
	want string
	says string // "" for no error; else it is ErrCorruption and says this
}

var detectCases = []detectCase{
	{"empty", tree{}, "", ""},
	{"foreign files", foreigners, "", ""},
	{"LOG and LOCK", tree{"LOG": "x", "LOCK": "", "LOG.old": "", "LOG.old.17": ""}, "", ""},
	{"leftovers", tree{"000001.dbtmp": "", "OPTIONS-000007.dbtmp": "", "000004.sst.trash": "x"}, "", ""},
	{"lost alone", tree{"lost/000005.ldb": "x", "archive/000003.log": "x"}, "", ""},
	{"folders with names of files", tree{"000005.ldb/": "", "MANIFEST-000001/": "", "IDENTITY/": ""}, "", ""},

	{"begun", tree{"LOG": "x", "LOCK": "", "MANIFEST-000001": ""}, "", ""},
	{"begun, torn", tree{"MANIFEST-000001": logOf(levelDBEdit)[:20]}, "", ""},
	{"begun, zeros", tree{"MANIFEST-000001": strings.Repeat("\x00", 40)}, "", ""},
	{"begun, leveldb", tree{"MANIFEST-000001": logOf(levelDBEdit), "000001.dbtmp": "MANIFEST-000001\n"}, "", ""},
	{"begun, rocksdb without IDENTITY", tree{"MANIFEST-000001": logOf(rocksDBEdit)}, "", ""},

	{"leveldb", levelDBStore(), levelDB, ""},
	{"leveldb with foreign files", levelDBStore().with(foreigners), levelDB, ""},
	{"leveldb with old tables", levelDBStore().with(tree{"000002.sst": "x"}), levelDB, ""},
	{"leveldb, nothing else", tree{"CURRENT": "MANIFEST-000002\n", "MANIFEST-000002": logOf(levelDBEdit)}, levelDB, ""},
	{"leveldb with options that are not RocksDB's", levelDBStore().with(tree{"OPTIONS-mine": "", "IDENTITY.txt": ""}), levelDB, ""},
	{"rocksdb", rocksDBStore(), rocksDB, ""},
	{"rocksdb by OPTIONS", rocksDBStore().without("IDENTITY").with(tree{"MANIFEST-000005": logOf(levelDBEdit)}), rocksDB, ""},
	{"rocksdb by IDENTITY", rocksDBStore().without("OPTIONS-000007").with(tree{"MANIFEST-000005": logOf(levelDBEdit)}), rocksDB, ""},
	{"rocksdb by a blob file", tree{"CURRENT": "MANIFEST-000005\n", "MANIFEST-000005": logOf(levelDBEdit), "000009.blob": ""}, rocksDB, ""},
	{"rocksdb by the manifest", rocksDBStore().without("IDENTITY", "OPTIONS-000007"), rocksDB, ""},
	{"rocksdb by the manifest, with tables of leveldb", rocksDBStore().without("IDENTITY", "OPTIONS-000007").with(tree{"000003.ldb": ""}), rocksDB, ""},

	{"leveldb without CURRENT", levelDBStore().without("CURRENT"), levelDB, "no CURRENT"},
	{"rocksdb without CURRENT", rocksDBStore().without("CURRENT"), rocksDB, "no CURRENT"},
	{"table alone, ldb", tree{"000005.ldb": "x"}, levelDB, "000005.ldb, but no CURRENT"},
	{"table alone, sst", tree{"000005.sst": "x"}, "", "000005.sst, but no CURRENT"},
	{"log alone", tree{"000005.log": "x"}, "", "no CURRENT"},
	{"blob file alone", tree{"000005.blob": "x"}, rocksDB, "no CURRENT"},
	{"options alone", tree{"OPTIONS-000007": "x"}, rocksDB, "OPTIONS-000007, but no CURRENT"},
	{"manifest alone, leveldb", tree{"MANIFEST-000002": logOf(levelDBEdit)}, levelDB, "no CURRENT"},
	{"manifest alone, rocksdb", tree{"MANIFEST-000009": logOf(rocksDBEdit), "MANIFEST-000002": "x"}, rocksDB, "no CURRENT"},
	{"manifest alone, text", tree{"MANIFEST-000002": "text"}, "", "no CURRENT"},
	{"first manifest, text", tree{"MANIFEST-000001": "text, not a record"}, "", "no CURRENT, and MANIFEST-000001"},
	{"first manifest, with tables", tree{"MANIFEST-000001": logOf(levelDBEdit, levelDBFiles)}, levelDB, "MANIFEST-000001, but no CURRENT"},
	{"first manifest, long", tree{"MANIFEST-000001": logOf(levelDBEdit + strings.Repeat("\x09\x00", 300))}, levelDB, "MANIFEST-000001, but no CURRENT"},
	{"first manifest is a folder", tree{"MANIFEST-000001/": "", "MANIFEST-000002": "x"}, "", "no CURRENT"},
	{"first manifest, and a log", tree{"MANIFEST-000001": "", "000003.log": ""}, "", "000003.log, but no CURRENT"},

	{"CURRENT is empty", levelDBStore().with(tree{"CURRENT": ""}), levelDB, "CURRENT is empty"},
	{"CURRENT alone", tree{"CURRENT": "MANIFEST-000004\n"}, "", "MANIFEST-000004"},
	{"CURRENT without end of line", levelDBStore().with(tree{"CURRENT": "MANIFEST-000004"}), levelDB, "not the name"},
	{"CURRENT names a table", levelDBStore().with(tree{"CURRENT": "000005.ldb\n"}), levelDB, "not the name"},
	{"CURRENT leads elsewhere", levelDBStore().with(tree{"CURRENT": "../MANIFEST-000004\n"}), levelDB, "not the name"},
	{"CURRENT with a NUL", levelDBStore().with(tree{"CURRENT": "MANIFEST-000004\x00\n"}), levelDB, "not the name"},
	{"CURRENT is long", levelDBStore().with(tree{"CURRENT": strings.Repeat("MANIFEST-000004\n", 1000)}), levelDB, "not the name"},
	{"CURRENT is a folder", levelDBStore().without("CURRENT").with(tree{"CURRENT/": ""}), levelDB, "CURRENT: not a regular file"},
	{"manifest missing, leveldb", levelDBStore().without("MANIFEST-000004"), levelDB, "CURRENT names MANIFEST-000004"},
	{"manifest missing, rocksdb", rocksDBStore().without("MANIFEST-000005"), rocksDB, "CURRENT names MANIFEST-000005"},
	{"manifest is a folder", levelDBStore().without("MANIFEST-000004").with(tree{"MANIFEST-000004/": ""}), levelDB, "not a regular file"},
	{"manifest is empty", levelDBStore().with(tree{"MANIFEST-000004": ""}), levelDB, "no whole record"},
	{"manifest is text", levelDBStore().with(tree{"MANIFEST-000004": strings.Repeat("text", 100)}), levelDB, "CURRENT names MANIFEST-000004"},
	{"manifest of a third engine", levelDBStore().with(tree{"MANIFEST-000004": logOf(levelDBEdit, "\x68\x00")}), levelDB, "tag 104"},
}

func TestDetect(t *testing.T) {
	for _, c := range detectCases {
		t.Run(c.name, func(t *testing.T) {
			folder := c.tree.write(t, t.TempDir())
			unchanged(t, folder)
			got, err := Detect(folder)
			if got != c.want {
				t.Errorf("engine %q, want %q (%v)", got, c.want, err)
			}
			if c.says == "" {
				must(t, err)
				return
			}
			wantKind(t, err, store.ErrCorruption, "detect", folder, c.says)
		})
	}
}

// What Detect tells, Acquire must heed: no engine gets to see a folder in which
// it would destroy something.
func TestAcquireHeedsDetect(t *testing.T) {
	for _, c := range detectCases {
		for _, engine := range []string{levelDB, rocksDB} {
			for _, m := range []Mode{{}, {Create: true}, {Create: true, ErrorIfExists: true}, {ReadOnly: true}, {Damaged: true}} {
				folder := c.tree.write(t, t.TempDir())
				before := state(t, folder)
				claim, err := Acquire(engine, "open", folder, m)
				var want error
				switch {
				case c.want != "" && c.want != engine:
					want = store.ErrWrongEngine
				case c.says != "" && !m.Damaged:
					want = store.ErrCorruption
				case c.says == "" && c.want == "" && !m.Create:
					want = store.ErrNotExist
				case c.want == engine && m.ErrorIfExists:
					want = store.ErrExists
				}
				if !errors.Is(err, want) {
					t.Errorf("%s: Acquire(%s, %+v): %v, want %v", c.name, engine, m, err, want)
				}
				if err == nil {
					if fresh := c.want == "" && c.says == ""; claim.Fresh() != fresh {
						t.Errorf("%s: Fresh is %v", c.name, claim.Fresh())
					}
					claim.Abandon()
				}
				if state(t, folder) != before {
					t.Errorf("%s: Acquire(%s, %+v) has changed the folder", c.name, engine, m)
				}
			}
		}
	}
}

// RocksDB was ended after it had written IDENTITY: it may go on there, but a store
// of LevelDB would be taken for its own.
func TestAcquireBegunByRocksDB(t *testing.T) {
	for _, tr := range []tree{
		{"IDENTITY": "x"},
		{"IDENTITY": "x", "LOG": "", "LOCK": "", "MANIFEST-000001": ""},
		{"IDENTITY": "x", "MANIFEST-000001": logOf(rocksDBEdit), "000001.dbtmp": "MANIFEST-000001\n"},
	} {
		folder := tr.write(t, t.TempDir())
		unchanged(t, folder)
		if got, err := Detect(folder); got != "" || err != nil {
			t.Errorf("Detect = %q, %v", got, err)
		}
		_, err := Acquire(levelDB, "open", folder, Mode{Create: true})
		wantKind(t, err, store.ErrWrongEngine, "rocksdb")
		_, err = Acquire(rocksDB, "open", folder, Mode{})
		wantKind(t, err, store.ErrNotExist)
		c, err := Acquire(rocksDB, "open", folder, Mode{Create: true, ErrorIfExists: true})
		must(t, err)
		if !c.Fresh() {
			t.Error("not fresh")
		}
		c.Abandon()
	}
}

func TestDetectMissing(t *testing.T) {
	folder := t.TempDir()
	unchanged(t, folder)
	for _, path := range []string{"missing", "missing/more", "missing/"} {
		if got, err := Detect(filepath.Join(folder, path)); got != "" || err != nil {
			t.Errorf("Detect(%s) = %q, %v", path, got, err)
		}
	}
}

func TestDetectBadPath(t *testing.T) {
	file := filepath.Join(tree{"file": "content"}.write(t, t.TempDir()), "file")
	for _, path := range []string{"", "a\x00b", file, file + "/below"} {
		_, err := Detect(path)
		wantKind(t, err, store.ErrInvalidArgument)
	}
}

// A pipe in place of a file must not make Detect wait for a writer.
func TestDetectPipe(t *testing.T) {
	for _, name := range []string{"CURRENT", "MANIFEST-000004"} {
		folder := levelDBStore().without(name).write(t, t.TempDir())
		must(t, syscall.Mkfifo(filepath.Join(folder, name), 0o644))
		_, err := Detect(folder)
		wantKind(t, err, store.ErrCorruption, "not a regular file")
	}
}

func TestDetectRefused(t *testing.T) {
	for _, name := range []string{".", "CURRENT", "MANIFEST-000004"} {
		folder := levelDBStore().write(t, t.TempDir())
		at := filepath.Join(folder, name)
		must(t, os.Chmod(at, 0))
		t.Cleanup(func() { os.Chmod(at, 0o755) })
		var err error
		asNobody(t, func() { _, err = Detect(folder) })
		wantKind(t, err, store.ErrIO)
		wantKind(t, err, os.ErrPermission)
		if errors.Is(err, store.ErrCorruption) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A store in use begins a new MANIFEST now and then, and removes the old one.
func TestDetectWhileManifestSwitches(t *testing.T) {
	folder := levelDBStore().write(t, t.TempDir())
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		var err error
		for next := byte('5'); err == nil; next = '4' + '5' - next {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			name, old := "MANIFEST-00000"+string(next), "MANIFEST-00000"+string('4'+'5'-next)
			tmp := filepath.Join(folder, "000001.dbtmp")
			if err = os.WriteFile(filepath.Join(folder, name), []byte(logOf(levelDBEdit)), 0o644); err != nil {
				break
			}
			if err = os.WriteFile(tmp, []byte(name+"\n"), 0o644); err != nil {
				break
			}
			if err = os.Rename(tmp, filepath.Join(folder, "CURRENT")); err != nil {
				break
			}
			err = os.Remove(filepath.Join(folder, old))
		}
		done <- err
	}()
	for range 2000 {
		if got, err := Detect(folder); got != levelDB || err != nil {
			t.Errorf("Detect = %q, %v", got, err)
			break
		}
	}
	close(stop)
	must(t, <-done)
}
