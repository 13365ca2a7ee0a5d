package dir

import (
	"errors"
	"os"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

// Room tells whether there is room, and leaves nothing in the folder.
func TestRoom(t *testing.T) {
	path := t.TempDir()
	must(t, os.WriteFile(path+"/000000.dbtmp", []byte("of a process that died"), 0o600))
	must(t, Room(path, 1<<20))
	wantKind(t, Room(path, 1<<60), store.ErrNoSpace, path)
	wantKind(t, Room(path+"/missing", 1), store.ErrIO, "missing")
	entries, err := os.ReadDir(path)
	must(t, err)
	if len(entries) > 0 {
		t.Errorf("left are %v", entries)
	}
	asNobody(t, func() {
		if err := Room(path, 1); err == nil || errors.Is(err, store.ErrNoSpace) {
			t.Errorf("where nothing may be written: %v", err)
		}
	})
}

func TestLogBytes(t *testing.T) {
	path := tree{"000003.log": "12345", "000004.log": "", "7.log": "123", "000005.ldb": "table", "a.log": "foreign"}.write(t, t.TempDir())
	if n, err := LogBytes(path); n != 8 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	_, err := LogBytes(path + "/missing")
	wantKind(t, err, store.ErrNotExist)
}
