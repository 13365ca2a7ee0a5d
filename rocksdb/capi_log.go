package rocksdb

/*
#include <stdlib.h>
#include "capi.h"

#cgo noescape rdb_log_write
#cgo nocallback rdb_log_write
#cgo nocallback rdb_log_take
#cgo nocallback rdb_log_dropped
*/
import "C"

import (
	"os"
	"time"
	"unsafe"

	"github.com/linxGnu/grocksdb"
)

// logBuffer is how much of RocksDB's log waits for the reader at most.
const logBuffer = 256 << 10

// RocksDB's levels.
const (
	logDebug = iota
	logInfo
	logWarn
	logError
	logFatal
)

// An infoLog hands RocksDB's log lines to a function, from a goroutine of its own.
type infoLog struct {
	c    *C.rdb_log
	r, w *os.File // C writes to w when there are lines
	done chan struct{}
}

// newInfoLog makes a log for lines of the level and above. stop ends it.
func newInfoLog(level int, emit func(at time.Time, level int, text string)) (*infoLog, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	l := &infoLog{r: r, w: w, done: make(chan struct{})}
	conn, err := w.SyscallConn()
	if err == nil {
		// Unlike Fd, this leaves the pipe as it is: without blocking.
		err = conn.Control(func(fd uintptr) { l.c = C.rdb_log_new(C.int(level), logBuffer, C.int(fd)) })
	}
	if err == nil && l.c == nil {
		err = errNoMemory
	}
	if err != nil {
		r.Close()
		w.Close()
		return nil, err
	}
	go l.read(emit)
	return l, nil
}

// startLog makes RocksDB log to the options' logger, if there is one. freeOptions
// ends it.
func (e *engine) startLog(path string, o *Options) error {
	if o.Logger == nil {
		return nil
	}
	emit, level := engineLog(o.logger(path))
	l, err := newInfoLog(level, emit)
	if err != nil {
		return err
	}
	if err := l.attach(e.opts); err != nil {
		l.stop()
		return err
	}
	e.log = l
	return nil
}

// attach makes it the log of a store that is opened with the options. The store
// must be closed, and the options freed, before stop.
func (l *infoLog) attach(o *grocksdb.Options) error {
	p, err := pointer(o, "*grocksdb._Ctype_struct_rocksdb_options_t")
	if err != nil {
		return err
	}
	C.rdb_log_attach(l.c, (*C.rocksdb_options_t)(p))
	return nil
}

// read emits lines until the pipe is closed.
func (l *infoLog) read(emit func(at time.Time, level int, text string)) {
	defer close(l.done)
	var woken [16]byte
	for {
		_, err := l.r.Read(woken[:])
		for l.take(emit) {
		}
		if err != nil {
			return
		}
	}
}

// take emits the lines there are, and tells whether there were any.
func (l *infoLog) take(emit func(at time.Time, level int, text string)) bool {
	taken := C.rdb_log_take(l.c)
	rest := unsafe.Slice((*byte)(unsafe.Pointer(taken.lines)), int(taken.size))
	for len(rest) > 0 {
		var head C.rdb_log_line
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&head)), unsafe.Sizeof(head)), rest)
		rest = rest[unsafe.Sizeof(head):]
		text := string(rest[:head.len])
		rest = rest[head.len:]
		emit(time.Unix(0, int64(head.ns)), int(head.level), text)
	}
	return taken.size > 0
}

// dropped returns how many lines have found no room.
func (l *infoLog) dropped() uint64 { return uint64(C.rdb_log_dropped(l.c)) }

// write adds a line as RocksDB does. Tests use it.
func (l *infoLog) write(level int, line string) {
	text := []byte(line)
	p, n := chars(text)
	C.rdb_log_write(l.c, C.uint(level), p, n)
}

// stop returns when all lines have been emitted, and frees the log.
func (l *infoLog) stop() {
	l.w.Close()
	<-l.done
	l.r.Close()
	C.rdb_log_free(l.c)
}
