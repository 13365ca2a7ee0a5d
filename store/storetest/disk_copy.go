package storetest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/lsmkit/lsmkit/store"
)

func copyCases() []diskCase {
	return []diskCase{{"CopyOntoFullDisk", copyOntoFullDisk, false}}
}

// A copy that fills the disk is an error that says so, and goes on once there is
// room: what was acknowledged is there, and nothing behind a hole.
func copyOntoFullDisk(t *diskEnv) {
	WithSmallDisk(t.T, 40<<20, func(inner *testing.T, disk string) {
		t := &diskEnv{newEnv(inner, t.cfg, t.variant), t.engine}
		const entries = 6000
		src := t.reference(nil)
		for n := range entries {
			t.must(src.Put(ackedKey(n), ackedValue(n), nil), "put")
		}
		ballast, path := filepath.Join(disk, "ballast"), filepath.Join(disk, "db")
		t.must(os.WriteFile(ballast, make([]byte, 36<<20), 0o644), "ballast")
		dst := t.openO(path, smallBuffers)
		var p store.CopyProgress
		var err error
		t.bounded("copy onto a full disk", func() {
			p, err = store.Copy(t.Context(), dst, src, &store.CopyOptions{BatchSize: 64 << 10})
		})
		t.wantKind(err, store.ErrNoSpace, "copy onto a full disk")
		if p.Entries == 0 || p.Entries >= entries {
			t.Fatalf("%+v", p)
		}
		t.close(dst)
		t.must(os.Remove(ballast), "remove the ballast")
		dst = t.openO(path, smallBuffers)
		rest, err := store.Copy(t.Context(), dst, src, &store.CopyOptions{Resume: true})
		if err != nil || rest.Found < p.Entries || rest.Found+rest.Entries != entries {
			t.Errorf("%+v after %+v, %v", rest, p, err)
		}
		if got, want := t.digest(dst), t.digest(src); got != want {
			t.Errorf("the copy has %d entries with digest %v, want %d with %v", got.Entries, got, want.Entries, want)
		}
		t.close(dst)
	})
}
