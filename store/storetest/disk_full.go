package storetest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// A full disk gives an error that says so, loses nothing that was acknowledged,
// and ends when there is room again, at the latest with reopening. The disk is a
// small tmpfs; what writes to it is a process of its own, which ends by Close or
// is killed. A second process reads what is left.
func fullCases() []diskCase {
	return []diskCase{
		{"A17_FullDisk/NoSync_Close", func(t *diskEnv) { fullDisk(t, 1, false, false) }, false},
		{"A17_FullDisk/NoSync_Kill", func(t *diskEnv) { fullDisk(t, 1, false, true) }, false},
		{"A17_FullDisk/Sync_Close", func(t *diskEnv) { fullDisk(t, 1, true, false) }, false},
		{"A17_FullDisk/Sync_Kill", func(t *diskEnv) { fullDisk(t, 1, true, true) }, false},
		{"A17_FullDisk/Groups_NoSync_Kill", func(t *diskEnv) { fullDisk(t, groupWriters, false, true) }, false},
		{"A17_FullDisk/Groups_Sync_Close", func(t *diskEnv) { fullDisk(t, groupWriters, true, false) }, false},
		{"A17_FullDisk/Groups_Sync_Kill", func(t *diskEnv) { fullDisk(t, groupWriters, true, true) }, false},
		{"A17_FullDisk/Log_NoSync", func(t *diskEnv) { fullLog(t, store.NoSync) }, false},
		{"A17_FullDisk/Log_Sync", func(t *diskEnv) { fullLog(t, store.Sync) }, false},
	}
}

// groupWriters write at the same time, and so are committed together.
const groupWriters = 50

func fullDisk(t *diskEnv, writers int, synced, kill bool) {
	wo := store.NoSync
	if synced {
		wo = store.Sync
	}
	onSmallDisk(t, 8<<20, func(t *diskEnv, disk string) { t.fillDisk(disk, writers, wo, kill) })
}

// onSmallDisk runs the writer on a disk of the size, in a process of its own, and
// then the reader.
func onSmallDisk(t *diskEnv, size int, write func(t *diskEnv, disk string)) {
	WithSmallDisk(t.T, size, func(inner *testing.T, disk string) {
		t := &diskEnv{newEnv(inner, t.cfg, t.variant), t.engine}
		arg, helper := HelperArg()
		path, read := strings.CutPrefix(arg, "read ")
		switch {
		case helper && read:
			path, acked, _ := strings.Cut(path, " acked ")
			t.readAcked(path, acked)
			return
		case helper:
			write(t, arg)
			return
		}
		lines := RunHelper(t.T, disk)
		if len(lines) == 0 {
			t.Fatal("the writer said nothing")
		}
		for _, line := range lines[:len(lines)-1] {
			t.Log(line)
		}
		RunHelper(t.T, "read "+disk+" acked "+lines[len(lines)-1])
	})
}

// smallBuffers make flushes and compactions happen within a few MiB.
var smallBuffers = store.Options{CreateIfMissing: true, WriteBufferSize: 256 << 10, MaxFileSize: 1 << 20, Compression: store.NoCompression}

// fillDisk writes until the disk is full, makes room, writes on, and ends. The
// last line that it says is what was acknowledged.
func (t *diskEnv) fillDisk(disk string, writers int, wo *store.WriteOptions, kill bool) {
	ballast := filepath.Join(disk, "ballast")
	t.must(os.WriteFile(ballast, make([]byte, 3<<20), 0o644), "ballast")
	db, err := t.openWith(filepath.Join(disk, "db"), smallBuffers)
	t.must(err, "open")
	var acked spans
	n := 0
	put := func(what string) (refused int, full error) { // one each writer
		errs := make([]error, writers)
		var wg sync.WaitGroup
		for g := range errs {
			wg.Go(func() { errs[g] = db.Put(ackedKey(n+g), ackedValue(n+g), wo) })
		}
		t.bounded("puts: "+what, wg.Wait)
		for g, err := range errs {
			if err == nil {
				acked.add(n + g)
				continue
			}
			t.wantKind(err, store.ErrNoSpace, what)
			refused, full = refused+1, err
		}
		n += writers
		return refused, full
	}
	var full error
	for full == nil && n < 20_000 {
		_, full = put("filling the disk")
	}
	t.wantKind(full, store.ErrNoSpace, "full disk")
	Say("full after about %d puts: %v", n-writers, full)
	for range 20 { // some may get through, none may crash or lie
		put("disk still full")
	}
	t.wantAcked(db, acked, "disk full")
	t.must(os.Remove(ballast), "remove the ballast")
	refused := 0
	for range 1000 / writers {
		again, err := put("after room was made")
		if refused += again; err != nil && t.engine.MendsLog && !strings.Contains(err.Error(), "reopen") {
			t.Errorf("error %q does not say that reopening helps", err)
		}
	}
	Say("with room again, %d of 1000 puts were refused", refused)
	if !t.engine.MendsLog && !kill {
		Say("the next was taken after %s", t.recovered(func() error { _, err := put("recovering"); return err }).Round(time.Second))
	}
	t.wantAcked(db, acked, "room made")
	Say("%s", acked)
	switch {
	case kill && !t.Failed():
		Die()
	case kill:
		t.Fatal("not killed: failed before")
	}
	if err := db.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// A disk that is full when the log is appended to, before anything has failed in
// the background, and has room again: writes work again in the same store.
func fullLog(t *diskEnv, wo *store.WriteOptions) {
	// Both engines flush later than the disk is full, and find room for what they
	// want then.
	o := store.Options{CreateIfMissing: true, WriteBufferSize: 6 << 20, Compression: store.NoCompression}
	onSmallDisk(t, 16<<20, func(t *diskEnv, disk string) {
		ballast := filepath.Join(disk, "ballast")
		t.must(os.WriteFile(ballast, make([]byte, 12<<20), 0o644), "ballast")
		db, err := t.openWith(filepath.Join(disk, "db"), o)
		t.must(err, "open")
		var acked spans
		n := 0
		put := func() error {
			err := db.Put(ackedKey(n), ackedValue(n), wo)
			if err == nil {
				acked.add(n)
			}
			n++
			return err
		}
		for err = put(); err == nil; err = put() {
		}
		Say("full after %d puts: %v", n-1, err)
		for range 100 { // each could do harm
			t.wantKind(err, store.ErrNoSpace, "full disk")
			err = put()
		}
		t.wantAcked(db, acked, "disk full")
		t.must(os.Remove(ballast), "remove the ballast")
		if t.engine.MendsLog {
			t.must(put(), "the first put with room again")
		} else {
			Say("a put was taken after %s", t.recovered(put).Round(time.Second))
		}
		for range 1000 {
			t.must(put(), "put with room again")
		}
		t.must(db.Flush(), "flush with room again")
		t.wantAcked(db, acked, "with room again")
		Say("%s", acked)
		Die()
	})
}

// recovered tries until a put is taken, and returns how long that took: RocksDB
// looks for room every five seconds. It fails the test after a minute.
func (t *diskEnv) recovered(put func() error) time.Duration {
	t.Helper()
	began := time.Now()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		err := put()
		waited := time.Since(began)
		switch {
		case err == nil:
			return waited
		case waited > time.Minute:
			t.Fatalf("no put was taken for a minute after room was made: %v", err)
		}
		t.wantKind(err, store.ErrNoSpace, "before the engine has recovered")
		<-again.C
	}
}

// readAcked is the reader: all that was acknowledged must be there. Whether there
// is room for more, for compactions too, is up to the disk; on a larger one the
// store takes writes again.
func (t *diskEnv) readAcked(disk, text string) {
	acked := parseSpans(text)
	db, err := t.openWith(filepath.Join(disk, "db"), smallBuffers)
	t.must(err, "reopen")
	t.wantAcked(db, acked, "reopened")
	for n := range 100 {
		if err := db.Put(fmt.Appendf(nil, "new%d", n), ackedValue(n), nil); err != nil {
			t.wantKind(err, store.ErrNoSpace, "put after reopening")
		}
	}
	t.wantAcked(db, acked, "written on")
	t.close(db)
	larger := t.path()
	copyFolder(t.T, filepath.Join(disk, "db"), larger)
	db = t.openO(larger, smallBuffers)
	for n := range 2000 {
		t.must(db.Put(fmt.Appendf(nil, "new%d", n), ackedValue(n), nil), "put on a larger disk")
	}
	t.must(db.Compact(nil, store.KeyRange{}), "compact on a larger disk")
	t.wantAcked(db, acked, "on a larger disk")
	t.close(db)
}

// wantAcked checks that each put that was acknowledged can be read.
func (t *diskEnv) wantAcked(db store.Reader, acked spans, what string) {
	t.Helper()
	lost, first := 0, ""
	var dst []byte
	for _, s := range acked {
		for n := s.from; n < s.to; n++ {
			v, err := db.AppendGet(dst[:0], ackedKey(n))
			if err == nil && string(v) == string(ackedValue(n)) {
				dst = v
				continue
			}
			if lost++; first == "" {
				first = fmt.Sprintf("key %d: %s, %v", n, show(v), err)
			}
		}
	}
	if lost > 0 {
		t.Errorf("%s: %d puts that were acknowledged are lost; first %s", what, lost, first)
	}
}

func ackedKey(n int) []byte { return fmt.Appendf(nil, "key%08d", n*7919%1_000_003) }

// ackedValue is 1 KiB that follows from n and does not compress.
func ackedValue(n int) []byte { return newRandom(uint64(n)).fill(1 << 10) }

// spans are numbers in increasing order, as a list of ranges that fits into an
// argument.
type spans []span

type span struct{ from, to int } // to is not included

func (s *spans) add(n int) {
	if last := len(*s) - 1; last >= 0 && (*s)[last].to == n {
		(*s)[last].to++
		return
	}
	*s = append(*s, span{n, n + 1})
}

func (s spans) String() string {
	var parts []string
	for _, r := range s {
		parts = append(parts, fmt.Sprintf("%d-%d", r.from, r.to))
	}
	return strings.Join(parts, ",")
}

func parseSpans(text string) (s spans) {
	for part := range strings.SplitSeq(text, ",") {
		from, to, _ := strings.Cut(part, "-")
		a, err := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		if err := errors.Join(err, err2); err != nil {
			panic(err)
		}
		s = append(s, span{a, b})
	}
	return s
}
