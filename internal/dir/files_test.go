package dir

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// foreigners are not a store's, though some of them look like it.
var foreigners = tree{
	"notes.txt": "mine", "LOG.txt": "mine", "LOGbook": "mine", "sub/000001.ldb": "mine",
	"000099.log/": "", "MANIFEST-000004.bak": "mine",
}

func TestFiles(t *testing.T) {
	for _, c := range []struct {
		engine      string
		more        tree
		own, others string
	}{
		{levelDB, nil, "000003.log 000005.ldb CURRENT LOCK LOG LOG.old MANIFEST-000004", ""},
		{rocksDB, nil, "000004.log 000008.sst CURRENT IDENTITY LOCK LOG LOG.old.1733000000000000 MANIFEST-000005 OPTIONS-000007", ""},
		{levelDB, tree{"IDENTITY": "", "000009.blob": ""},
			"000003.log 000005.ldb CURRENT LOCK LOG LOG.old MANIFEST-000004", "000009.blob IDENTITY"},
		{levelDB, foreigners,
			"000003.log 000005.ldb CURRENT LOCK LOG LOG.old MANIFEST-000004",
			"000099.log LOG.txt LOGbook MANIFEST-000004.bak notes.txt sub"},
		{levelDB, tree{"lost/000001.log": "", "lost/MANIFEST-000002": "", "archive/000001.log": ""},
			"000003.log 000005.ldb CURRENT LOCK LOG LOG.old MANIFEST-000004 lost lost/000001.log lost/MANIFEST-000002", "archive"},
		{levelDB, tree{"lost/000001.log": "", "lost/letter": ""},
			"000003.log 000005.ldb CURRENT LOCK LOG LOG.old MANIFEST-000004 lost/000001.log", "lost/letter"},
		{levelDB, tree{"lost/": "", "lost/000001.log/": ""},
			"000003.log 000005.ldb CURRENT LOCK LOG LOG.old MANIFEST-000004", "lost/000001.log"},
		{rocksDB, tree{"archive/000001.log": "", "lost/": ""},
			"000004.log 000008.sst CURRENT IDENTITY LOCK LOG LOG.old.1733000000000000 MANIFEST-000005 OPTIONS-000007 archive archive/000001.log lost", ""},
	} {
		folder := storeOf(c.engine).with(c.more).write(t, t.TempDir())
		unchanged(t, folder)
		own, others, err := Files(c.engine, folder)
		if err != nil || strings.Join(own, " ") != c.own || strings.Join(others, " ") != c.others {
			t.Errorf("Files(%s) with %v:\n%q\n%q\n%v\nwant\n%q\n%q", c.engine, c.more, own, others, err, c.own, c.others)
		}
		if !slices.IsSorted(own) || !slices.IsSorted(others) {
			t.Errorf("not sorted: %q %q", own, others)
		}
	}
}

// A link is not followed out of the store.
func TestFilesLinkedSubfolder(t *testing.T) {
	elsewhere := tree{"000001.log": "x"}.write(t, t.TempDir())
	folder := levelDBStore().write(t, t.TempDir())
	must(t, os.Symlink(elsewhere, filepath.Join(folder, "lost")))
	_, others, err := Files(levelDB, folder)
	if err != nil || !slices.Equal(others, []string{"lost"}) {
		t.Errorf("others %q, %v", others, err)
	}
}

func TestFilesErrors(t *testing.T) {
	_, _, err := Files("bolt", t.TempDir())
	wantKind(t, err, store.ErrInvalidArgument, "unknown engine")
	_, _, err = Files(levelDB, filepath.Join(t.TempDir(), "missing"))
	wantKind(t, err, store.ErrNotExist, "leveldb", "missing")
	file := filepath.Join(tree{"file": ""}.write(t, t.TempDir()), "file")
	_, _, err = Files(levelDB, file)
	wantKind(t, err, store.ErrInvalidArgument, "file")
}

func TestSize(t *testing.T) {
	size := func(folder string) int64 {
		t.Helper()
		n, err := Size(folder)
		must(t, err)
		return n
	}
	folder := t.TempDir()
	if n := size(folder); n != 0 {
		t.Errorf("size of an empty folder is %d", n)
	}
	tr := rocksDBStore()
	var want int64
	for _, content := range tr {
		want += int64(len(content))
	}
	tr.with(foreigners).write(t, folder)
	if n := size(folder); n != want {
		t.Errorf("size is %d, want %d", n, want)
	}
	tree{"archive/000001.log": "12345", "lost/000002.sst": "123", "lost/letter": "mine"}.write(t, folder)
	unchanged(t, folder)
	if n := size(folder); n != want+8 {
		t.Errorf("size is %d, want %d", n, want+8)
	}
	_, err := Size(filepath.Join(folder, "missing"))
	wantKind(t, err, store.ErrNotExist)
}

func TestLogNumber(t *testing.T) {
	for _, c := range []struct {
		tree tree
		want uint64
	}{
		{tree{}, 0},
		{tree{"000005.ldb": "", "MANIFEST-000007": ""}, 0},
		{tree{"000009.log": "", "000010.log": "", "000012.ldb": ""}, 10},
		{tree{"999999.log": "", "1000000.log": ""}, 1000000},
		{tree{"000009.log": "", "000010.log/": "", "000011.log.bak": ""}, 9},
	} {
		if got, err := LogNumber(c.tree.write(t, t.TempDir())); err != nil || got != c.want {
			t.Errorf("LogNumber of %v = %d, %v; want %d", c.tree, got, err, c.want)
		}
	}
	_, err := LogNumber(filepath.Join(t.TempDir(), "missing"))
	wantKind(t, err, store.ErrNotExist)
}
