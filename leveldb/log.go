package leveldb

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/lsmkit/lsmkit/internal/handle"
	"github.com/lsmkit/lsmkit/store"
)

// logger returns what a store's messages go to; it is never nil.
func (o *Options) logger(path string) *slog.Logger {
	if o.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Logger.With("engine", Engine, "path", path)
}

// A logTail hands on what LevelDB adds to the file LOG. Its C API has no way to
// make a logger; what it writes to the file is complete after each line.
type logTail struct {
	handler slog.Handler
	waits   waitLog          // what the lines say of writes that wait
	stalls  *handle.StallLog // is told of it
	path    string
	offset  int64
	stopped chan struct{}
	done    chan struct{}
}

// tailPause is the time between two looks at the file.
const tailPause = 100 * time.Millisecond

// tail begins to follow the log of the store in the folder, from its beginning,
// if the options have a logger. The result may be nil; stop ends it.
func (o *Options) tail(folder string) *logTail {
	if o.Logger == nil {
		return nil
	}
	log := o.logger(folder)
	t := &logTail{
		stalls:  handle.NewStallLog(log),
		handler: log.With("source", "info log").Handler(),
		path:    filepath.Join(folder, "LOG"),
		stopped: make(chan struct{}),
		done:    make(chan struct{}),
	}
	go t.follow()
	return t
}

// stop returns when all that is in the file has been handed on. It may be called
// on nil.
func (t *logTail) stop() {
	if t != nil {
		close(t.stopped)
		<-t.done
	}
}

func (t *logTail) follow() {
	defer close(t.done)
	pause := time.NewTicker(tailPause)
	defer pause.Stop()
	for {
		select {
		case <-t.stopped:
			t.read()
			return
		case <-pause.C:
			t.read()
		}
	}
}

// tailChunk is how much of the file is read at a time.
const tailChunk = 64 << 10

// read hands on the lines that have been added. A file that can't be read is tried
// again.
func (t *logTail) read() {
	f, err := os.Open(t.path)
	if err != nil {
		return
	}
	defer f.Close()
	buf := make([]byte, tailChunk)
	for {
		n, err := f.ReadAt(buf, t.offset)
		end := bytes.LastIndexByte(buf[:n], '\n') + 1
		if end == 0 && n == len(buf) {
			end = n // a line longer than that comes in pieces
		}
		for line := range bytes.Lines(buf[:end]) {
			t.emit(string(bytes.TrimRight(line, "\n")))
		}
		t.offset += int64(end)
		if err != nil && err != io.EOF || end == 0 {
			return
		}
	}
}

// emit logs a line: a time, a thread, and what happened.
func (t *logTail) emit(line string) {
	at, text := time.Now(), line
	if len(line) > len(logTime) {
		if told, err := time.ParseInLocation(logTime, line[:len(logTime)], time.Local); err == nil {
			_, text, _ = strings.Cut(line[len(logTime)+1:], " ")
			at = told
		}
	}
	ctx, level := context.Background(), lineLevel(text)
	if t.handler.Enabled(ctx, level) {
		// A handler has nowhere to take an error to.
		_ = t.handler.Handle(ctx, slog.NewRecord(at, level, strings.TrimSpace(text), 0))
	}
	if t.waits.line(line); t.waits.now {
		t.stalls.Begin(store.StallStopped.String())
	} else {
		t.stalls.End()
	}
}

// lineLevel returns the level of what LevelDB writes without one. Most of it is
// about single flushes and compactions, which is what programs call debugging.
func lineLevel(text string) slog.Level {
	switch {
	case strings.HasPrefix(text, "Compaction error: "),
		strings.HasPrefix(text, "MANIFEST write: "),
		strings.HasPrefix(text, "Level-0 table #") && strings.Contains(text, " bytes ") && !strings.HasSuffix(text, " OK"):
		return slog.LevelError
	case strings.Contains(text, "dropping "), strings.Contains(text, "gnoring "):
		return slog.LevelWarn
	}
	return slog.LevelDebug
}
