package storetest

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/lsmkit/lsmkit/store"
)

// What a store says to Options.Logger.
func loggerCases() []testCase {
	return []testCase{
		{name: "Logger", run: logger},
		{name: "LoggerLevels", run: loggerLevels},
		{name: "LoggerUnderLoad", run: loggerUnderLoad, crash: true},
	}
}

// journal is a slog.Handler that keeps what it is given, from a level on.
type journal struct {
	*journalLines
	level slog.Level
	attrs []slog.Attr
}

type journalLines struct {
	mu    sync.Mutex
	lines []journalLine
}

type journalLine struct {
	level slog.Level
	text  string
	attrs map[string]string
}

func newJournal(level slog.Level) *journal { return &journal{new(journalLines), level, nil} }

func (j *journal) Enabled(_ context.Context, l slog.Level) bool { return l >= j.level }

func (j *journal) Handle(_ context.Context, r slog.Record) error {
	line := journalLine{r.Level, r.Message, map[string]string{}}
	add := func(a slog.Attr) bool {
		line.attrs[a.Key] = a.Value.String()
		return true
	}
	for _, a := range j.attrs {
		add(a)
	}
	r.Attrs(add)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line)
	return nil
}

func (j *journal) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &journal{j.journalLines, j.level, append(slices.Clone(j.attrs), attrs...)}
}

func (j *journal) WithGroup(string) slog.Handler { return j }

// of returns the lines of the store itself, or those of the engine's log.
func (j *journal) of(engine bool) (lines []journalLine) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, l := range j.lines {
		if (l.attrs["source"] != "") == engine {
			lines = append(lines, l)
		}
	}
	return lines
}

func (t *env) openLogged(path string, level slog.Level) (store.DB, *journal) {
	t.Helper()
	j := newJournal(level)
	o := t.options()
	o.Logger = slog.New(j)
	db, err := t.openWith(path, o)
	t.must(err, "open")
	return db, j
}

// Open, Close and what was left open are told, with engine and path, and the
// engine's own log at levels of its own; nothing comes after Close.
func logger(t *env) {
	db, j := t.openLogged(t.path(), slog.LevelDebug)
	t.put(db, "k", "v")
	t.iterator(db, nil)
	t.must(db.Flush(), "flush")
	t.wantKind(db.Close(), store.ErrLeaked, "close")
	own := j.of(false)
	var texts []string
	for _, l := range own {
		texts = append(texts, l.level.String()+" "+l.text)
		if l.attrs["engine"] != t.cfg.Name || l.attrs["path"] == "" {
			t.Errorf("line %q has the attributes %v", l.text, l.attrs)
		}
	}
	want := []string{"INFO opened", "INFO closed", "WARN iterators or snapshots were left open"}
	if !slices.Equal(texts, want) {
		t.Errorf("got lines %q, want %q", texts, want)
	}
	engine := j.of(true)
	if t.cfg.InMemory != (len(engine) == 0) {
		t.Errorf("%d lines of the engine", len(engine))
	}
	for _, l := range engine {
		if l.text == "" || l.level != slog.LevelDebug || l.attrs["engine"] != t.cfg.Name {
			t.Errorf("line of the engine: %+v", l)
		}
	}
	t.wantKind(db.Close(), store.ErrClosed, "second close")
	if n := len(j.of(true)) + len(j.of(false)); n != len(own)+len(engine) {
		t.Errorf("%d lines after Close", n-len(own)-len(engine))
	}
}

// What is not enabled is not logged: with the usual level the engine is silent as
// long as all is well.
func loggerLevels(t *env) {
	db, j := t.openLogged(t.path(), slog.LevelInfo)
	t.put(db, "k", "v")
	t.must(db.Flush(), "flush")
	t.close(db)
	if own, engine := j.of(false), j.of(true); len(own) != 2 || len(engine) != 0 {
		t.Errorf("got %+v and of the engine %+v", own, engine)
	}
	db, j = t.openLogged(t.path(), slog.LevelError)
	t.close(db)
	if own := j.of(false); len(own) != 0 {
		t.Errorf("got %+v", own)
	}
}

// Thousands of lines, from calls of many goroutines and from the engine's own
// threads, neither hold the store up nor end the process, and what was dropped is
// counted.
func loggerUnderLoad(t *env) {
	db, j := t.openLogged(t.path(), slog.LevelDebug-4)
	const goroutines, rounds = 8, 60
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			for i := range rounds {
				for k := range 20 {
					key := fmt.Appendf(nil, "%d.%d", g, k)
					if err := db.Put(key, make([]byte, 1000), nil); err != nil {
						t.Errorf("put: %v", err)
					}
					if _, err := db.Has(key); err != nil {
						t.Errorf("has: %v", err)
					}
				}
				if err := db.Flush(); err != nil {
					t.Errorf("flush %d: %v", i, err)
				}
			}
		})
	}
	wg.Wait()
	dropped, known := t.metrics(db).LogDropped.Value()
	t.close(db)
	n := len(j.of(true))
	t.Logf("%d lines, %d dropped", n, dropped)
	if (n < 1000) != t.cfg.InMemory || known == t.cfg.InMemory {
		t.Errorf("%d lines, %d dropped, known %v", n, dropped, known)
	}
}
