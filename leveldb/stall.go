package leveldb

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lsmkit/lsmkit/store"
)

// LevelDB holds writes back in two ways, and tells of one (MakeRoomForWrite in
// db_impl.cc). With slowdownFiles in level 0, each write sleeps first, of which
// nothing is said anywhere: such writes are counted here. With stopFiles, or with
// one memtable full and the one before still being flushed, a write waits for the
// background thread, and there is a line in LOG: those are read from there.
const (
	slowdownFiles = 8  // config::kL0_SlowdownWritesTrigger
	stopFiles     = 12 // config::kL0_StopWritesTrigger
	slowdown      = time.Millisecond

	// stallPause is the time between two looks of WaitWritable.
	stallPause = 5 * time.Millisecond
)

var _ store.Staller = (*DB)(nil)

// Stalls counts writes that LevelDB has made sleep for a millisecond, and those
// for which LOG says that they have waited. When LOG can't be read, the figures
// are not known. The former count is not exact: it is looked at the number of
// files when there can be too many, and not before every write, so that the first
// few of a slowdown may be missed.
//
// It stands on leveldb_property_value of "leveldb.num-files-at-level0". See
// store.Staller.
func (db *DB) Stalls() (store.Stalls, error) {
	s, err := db.enter("stalls")
	if err != nil {
		return store.Stalls{}, err
	}
	defer db.guard.Exit(s)
	return db.stalls(), nil
}

// stalls is Stalls for who holds the guard.
func (db *DB) stalls() store.Stalls {
	waits, err := db.waits.read(filepath.Join(db.path, "LOG"))
	st := store.Stalls{State: db.stallState(waits)}
	if err == nil {
		slept := db.slept.Load()
		st.Count = store.Known(slept + waits.count)
		st.Nanos = store.Known(uint64(time.Duration(slept)*slowdown + waits.total))
	}
	return st
}

func (db *DB) stallState(w waits) store.StallState {
	files := db.engine.level0()
	switch {
	case w.now || files >= stopFiles:
		return store.StallStopped
	case files >= slowdownFiles:
		return store.StallDelayed
	}
	return store.StallNone
}

// WaitWritable looks every few milliseconds, and has no place among the calls
// meanwhile. It stands on leveldb_property_value, as Stalls does. See
// store.Staller.
func (db *DB) WaitWritable(ctx context.Context) error {
	const op = "wait writable"
	if ctx == nil {
		ctx = context.Background()
	}
	pause := time.NewTicker(stallPause)
	defer pause.Stop()
	for {
		if ctx.Err() != nil {
			return db.ended(op, "in a write stall", ctx.Err())
		}
		s, err := db.enterOrGiveUp(op, ctx)
		if err != nil {
			return err
		}
		state := db.stalls().State
		// When the background thread has given up, level 0 stays as it is. Only
		// then it is asked for, with a write, which could stall otherwise.
		if state != store.StallNone && db.waits.hasFailed() {
			err = db.failed(op, db.engine.check())
		}
		db.guard.Exit(s)
		if state == store.StallNone || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
	}
}

// sleeper tells when to look whether writes sleep. Who leads the queue has it.
type sleeper struct {
	left int // bytes to be written before the next look
}

// beforeWrite is called before a write of n bytes. The caller leads.
func (db *DB) beforeWrite(n int) {
	if db.sleeper.left -= n; db.sleeper.left <= 0 || db.flushed.Load() {
		db.lookAtLevel0()
	}
}

// lookAtLevel0 counts the coming write if it will sleep, and says when to look
// again. Each memtable makes one file at most, so that from a few files on it
// takes some of them until writes sleep: two flushes may end close to each other,
// but for a third a whole memtable has to be written. Near the limit it is looked
// at more often, and while writes sleep before each of them.
func (db *DB) lookAtLevel0() {
	db.flushed.Store(false)
	files := db.engine.level0()
	if files >= slowdownFiles {
		db.slept.Add(1)
		db.sleeper.left = 0
		db.stallLog.Begin(store.StallDelayed.String())
		return
	}
	db.stallLog.End()
	switch {
	case files >= slowdownFiles-2:
		db.sleeper.left = 4 << 10
	default:
		db.sleeper.left = int(db.options.WriteBufferSize / 16)
	}
}

// waits are the waits of writes that LOG tells of.
type waits struct {
	count uint64
	total time.Duration
	now   bool // the last one has not ended
}

// waitLog reads them, each line of LOG once.
type waitLog struct {
	mu     sync.Mutex
	offset int64
	waits
	began  time.Time // the last one, by LOG
	seen   time.Time // when that was read
	failed bool      // a flush or compaction has failed
}

var errLogShrunk = errors.New("LOG has become shorter")

// read reads what LevelDB has added to its log. Closing its descriptor does no
// harm: only that of LOCK would.
func (l *waitLog) read(path string) (waits, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.readNew(path)
	w := l.waits
	if w.now {
		w.total += time.Since(l.seen) // LOG's clock need not be ours
	}
	return w, err
}

func (l *waitLog) hasFailed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

func (l *waitLog) readNew(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() < l.offset {
		return errLogShrunk
	}
	news, err := io.ReadAll(io.NewSectionReader(f, l.offset, info.Size()-l.offset))
	if err != nil {
		return err
	}
	for {
		end := bytes.IndexByte(news, '\n')
		if end < 0 {
			return nil // the rest is being written
		}
		l.line(string(news[:end]))
		l.offset += int64(end) + 1
		news = news[end+1:]
	}
}

// logTime is how lines of LOG begin.
const logTime = "2006/01/02-15:04:05.000000"

// line takes a line: a time, a thread, and what happened. A wait ends when the
// background thread has flushed a memtable, compacted level 0 or failed, of which
// there is a line too.
func (l *waitLog) line(line string) {
	if len(line) <= len(logTime) {
		return
	}
	_, what, _ := strings.Cut(line[len(logTime)+1:], " ")
	begins, ends := strings.HasSuffix(what, "; waiting..."), false
	switch {
	case strings.HasPrefix(what, "Delete type=0 "), // the log of the memtable
		strings.HasPrefix(what, "compacted to: "), strings.HasPrefix(what, "Moved #"):
		ends = true
	case strings.HasPrefix(what, "Compaction error: "),
		strings.HasPrefix(what, "Level-0 table #") && strings.Contains(what, " bytes ") && !strings.HasSuffix(what, " OK"):
		ends, l.failed = true, true
	}
	at, err := time.Parse(logTime, line[:len(logTime)])
	if err != nil || !begins && !(l.now && ends) {
		return
	}
	if l.now {
		l.total += max(0, at.Sub(l.began)) // clocks are set back
	}
	if l.now = begins; begins {
		l.count++
		l.began, l.seen = at, time.Now()
	}
}

// stalling is what a store notes of its writes that are held back.
type stalling struct {
	waits   waitLog
	sleeper sleeper
	slept   atomic.Uint64 // writes that LevelDB has made sleep
	flushed atomic.Bool   // a memtable was flushed before it was full
}
