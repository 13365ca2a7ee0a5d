package dir

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// Stores are made by hand here: a folder is described by a map from names to
// contents, and a MANIFEST is put together from version edits by a writer of
// the log format that is independent of the reader.

// A tree maps names to contents. A name that ends with a slash is a folder.
type tree map[string]string

// edits of the two engines.
var (
	comparatorEdit = edit("\x01", text("leveldb.BytewiseComparator"))
	levelDBEdit    = comparatorEdit + "\x02\x00" + "\x09\x00" + "\x03\x02" + "\x04\x00"
	levelDBFiles   = "\x05\x01" + text("compactto") + "\x06\x02\x07" + "\x07\x00\x05\xe8\x07" + text("smallest") + text("largest!")
	rocksDBEdit    = edit("\x81\x40", text("9f6ff8a4-6d79")) + "\x02\x00\x03\x02\x04\x00" // 1<<13+1: DbId
)

func edit(parts ...string) string { return strings.Join(parts, "") }

// text is a string with its length before it.
func text(s string) string { return string(binary.AppendUvarint(nil, uint64(len(s)))) + s }

func levelDBStore() tree {
	return tree{
		"CURRENT": "MANIFEST-000004\n", "MANIFEST-000004": logOf(levelDBEdit, levelDBFiles),
		"LOCK": "", "LOG": "opened", "LOG.old": "opened before", "000003.log": "", "000005.ldb": "table",
	}
}

func rocksDBStore() tree {
	return tree{
		"CURRENT": "MANIFEST-000005\n", "MANIFEST-000005": logOf(rocksDBEdit, comparatorEdit),
		"LOCK": "", "LOG": "opened", "LOG.old.1733000000000000": "", "000004.log": "", "000008.sst": "table",
		"IDENTITY": "9f6ff8a4-6d79", "OPTIONS-000007": "[Version]",
	}
}

func storeOf(engine string) tree {
	if engine == levelDB {
		return levelDBStore()
	}
	return rocksDBStore()
}

// with returns the tree with other contents of some names.
func (tr tree) with(more tree) tree {
	out := tree{}
	for _, t := range []tree{tr, more} {
		for name, content := range t {
			out[name] = content
		}
	}
	return out
}

// without returns the tree without some names.
func (tr tree) without(names ...string) tree {
	out := tr.with(nil)
	for _, name := range names {
		if _, ok := out[name]; !ok {
			panic("no " + name + " in the tree")
		}
		delete(out, name)
	}
	return out
}

// write makes the tree in a folder.
func (tr tree) write(t *testing.T, folder string) string {
	t.Helper()
	must(t, os.MkdirAll(folder, 0o755))
	for name, content := range tr {
		at := filepath.Join(folder, name)
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(at, 0o755))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(at), 0o755))
		must(t, os.WriteFile(at, []byte(content), 0o644))
	}
	return folder
}

// state describes all that is below a folder, contents and times included.
func state(t *testing.T, folder string) string {
	t.Helper()
	var b strings.Builder
	must(t, filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v %d %v", path, info.Mode(), info.Size(), info.ModTime())
		if info.Mode().IsRegular() && e.Name() != "LOCK" {
			content, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %x", content)
		}
		b.WriteByte('\n')
		return nil
	}))
	return b.String()
}

// unchanged fails the test if what is below the folder differs at its end.
func unchanged(t *testing.T, folder string) {
	t.Helper()
	before := state(t, folder)
	t.Cleanup(func() {
		if after := state(t, folder); after != before {
			t.Errorf("changed:\n%s\nwas:\n%s", after, before)
		}
	})
}

// logOf writes records in the log format.
func logOf(records ...string) string {
	var w logWriter
	for _, r := range records {
		w.record(r)
	}
	return string(w.out)
}

type logWriter struct{ out []byte }

func (w *logWriter) record(payload string) {
	for first := true; ; first = false {
		left := blockSize - len(w.out)%blockSize
		if left < headerSize {
			w.out = append(w.out, make([]byte, left)...)
			left = blockSize
		}
		n := min(len(payload), left-headerSize)
		last := n == len(payload)
		kind := byte(typeMiddle)
		switch {
		case first && last:
			kind = typeFull
		case first:
			kind = typeFirst
		case last:
			kind = typeLast
		}
		w.fragment(kind, payload[:n])
		if payload = payload[n:]; last {
			return
		}
	}
}

// fragment writes one fragment, with a log number if the type has one.
func (w *logWriter) fragment(kind byte, payload string) {
	size := len(payload)
	if kind >= 5 && kind <= 8 || kind == 11 {
		payload = "\x01\x00\x00\x00" + payload
	}
	body := append([]byte{kind}, payload...)
	sum := crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli))
	w.out = binary.LittleEndian.AppendUint32(w.out, (sum>>15|sum<<17)+0xa282ead8)
	w.out = binary.LittleEndian.AppendUint16(w.out, uint16(size))
	w.out = append(w.out, body...)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantKind fails the test if err is not of the kind, or its text lacks one of
// the words.
func wantKind(t *testing.T, err, kind error, words ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("error %v, want one that is %v", err, kind)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Fatalf("error %q does not say %q", err, word)
		}
	}
}

// asNobody runs f with the rights of a user who owns nothing, if the test runs
// as root.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	done := make(chan error)
	go func() {
		// The file system's user id is one of the thread. It ends with the
		// goroutine, as the thread is not unlocked.
		runtime.LockOSThread()
		if err := syscall.Setfsgid(65534); err != nil {
			done <- err
			return
		}
		if err := syscall.Setfsuid(65534); err != nil {
			done <- err
			return
		}
		f()
		done <- nil
	}()
	must(t, <-done)
}
