package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree makes files (and folders, with a slash at the end) under a new folder.
func tree(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		path := filepath.Join(root, name)
		if strings.HasSuffix(name, "/") {
			path += "/x"
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			continue
		}
		if err := os.WriteFile(path, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// listing returns all paths under root.
func listing(t *testing.T, root string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if rel, _ := filepath.Rel(root, path); rel != "." {
			all = append(all, rel)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(all, " ")
}

// A26: folders that are no store are refused, for reads too, and nothing in
// them changes.
func TestA26Refused(t *testing.T) {
	for _, c := range []struct {
		name     string
		files    []string
		existing bool
	}{
		{"not a store", []string{"notes.txt"}, false},
		{"only a folder", []string{"photos/"}, false},
		{"a subfolder that is no store", []string{"alpha/notes.txt"}, false},
		{"the other engine's store", []string{"beta.store"}, false},
		{"the other engine's store in a subfolder", []string{"alpha/beta.store"}, false},
		{"no store to use", nil, true},
		{"another engine's store to use", []string{"beta/beta.store"}, true},
		{"an empty subfolder and a foreign file", []string{"alpha/", "notes.txt"}, false},
	} {
		for _, workload := range []string{"readrandom", "fillseq"} {
			root := tree(t, c.files...)
			before := listing(t, root)
			cfg := smallConfig(t, workload)
			cfg.DB, cfg.UseExistingDB = root, c.existing
			rec, err := Run(context.Background(), cfg, []Engine{newFake("alpha").engine(), newFake("beta").engine()}, nil)
			if !errors.Is(err, ErrRefused) || rec != nil {
				t.Errorf("%s, %s: %v", c.name, workload, err)
			}
			if after := listing(t, root); after != before {
				t.Errorf("%s, %s: %q became %q", c.name, workload, before, after)
			}
		}
	}
}

func TestFileInPlaceOfFolder(t *testing.T) {
	cfg := smallConfig(t, "readrandom")
	cfg.DB = filepath.Join(tree(t, "file"), "file")
	if _, err := Run(context.Background(), cfg, []Engine{newFake("alpha").engine()}, nil); !errors.Is(err, ErrRefused) {
		t.Errorf("%v", err)
	}
}

// A26: reading never deletes; with existing stores nothing is removed; else
// the store's files go, and what is foreign stays and is named.
func TestA26ForeignFilesStay(t *testing.T) {
	for _, root := range []string{"", "alpha"} { // the store itself, or a subfolder
		for _, c := range []struct {
			workload string
			existing bool
			found    int64 // by the reads after it; -1: not run
			replaced bool
		}{
			{"readrandom", false, 1000, false},
			{"readrandom", true, 1000, false},
			{"overwrite", true, 1000, false},
			{"fillseq", true, 1000, false}, // skipped
			{"fillseq", false, 100, true},
			{"overwrite", false, 64, true},
		} {
			db := tree(t)
			path := filepath.Join(db, root)
			f := newFake("alpha")
			made := smallConfig(t, "fillseq")
			made.DB = db
			mustRun(t, made, nil, f.engine())
			if root == "" { // as a user has it whose store is the folder itself
				path = filepath.Join(db, "alpha")
				db = path
			}
			for _, name := range []string{"notes.txt", "sub/deep.txt"} {
				file := filepath.Join(path, name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte("mine"), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			cfg := smallConfig(t, c.workload, "readseq")
			cfg.DB, cfg.UseExistingDB, cfg.Reads, cfg.Rounds = db, c.existing, 1000, 1
			if c.replaced {
				cfg.Num = 100
			}
			rec := mustRun(t, cfg, nil, f.engine())
			if got := *rec.Results[1].Found; got < c.found-10 || got > c.found+10 {
				t.Errorf("%+v: %d entries are left, want %d", c, got, c.found)
			}
			for _, name := range []string{"notes.txt", "sub/deep.txt"} {
				if data, err := os.ReadFile(filepath.Join(path, name)); err != nil || string(data) != "mine" {
					t.Errorf("%+v: %s: %q, %v", c, name, data, err)
				}
			}
			text := map[WarningCode]string{}
			for _, w := range rec.Warnings {
				text[w.Code] = w.Text
			}
			if _, ok := text[WarnReplaced]; ok != c.replaced {
				t.Errorf("%+v: replaced: %q", c, text[WarnReplaced])
			}
			if named := strings.Contains(text[WarnForeignKept], "notes.txt, sub/"); named != c.replaced {
				t.Errorf("%+v: kept: %q", c, text[WarnForeignKept])
			}
		}
	}
}

// A temporary folder goes, unless it is to be kept; then it is named.
func TestTemporaryFolder(t *testing.T) {
	for _, keep := range []bool{false, true} {
		tmp := t.TempDir()
		t.Setenv("TMPDIR", tmp)
		cfg := smallConfig(t, "fillseq", "readrandom")
		cfg.DB, cfg.KeepDB = "", keep
		rec := mustRun(t, cfg, nil, newFake("alpha").engine())
		wantOK(t, rec)
		left := listing(t, tmp)
		if kept := strings.HasSuffix(left, "alpha/alpha.store"); kept != keep || !keep && left != "" {
			t.Errorf("keep %v: left %q", keep, left)
		}
		named := false
		for _, w := range rec.Warnings {
			named = named || w.Code == WarnKept && strings.Contains(w.Text, tmp)
		}
		if named != keep {
			t.Errorf("keep %v: named %v", keep, named)
		}
	}
}
