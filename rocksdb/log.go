package rocksdb

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

var errNoMemory = errors.New("out of memory")

// logger returns what a store's messages go to; it is never nil.
func (o *Options) logger(path string) *slog.Logger {
	if o.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Logger.With("engine", Engine, "path", path)
}

// Levels of RocksDB's log lines. Its INFO is hundreds of lines for each Open and
// some for each flush and compaction: that is what programs call debugging.
var logLevels = [...]slog.Level{
	logDebug: slog.LevelDebug - 4,
	logInfo:  slog.LevelDebug,
	logWarn:  slog.LevelWarn,
	logError: slog.LevelError,
	logFatal: slog.LevelError,
}

// engineLog returns a function that logs RocksDB's lines, and the level from
// which on RocksDB is to write them. That is INFO, as without a logger, unless
// more is wanted: what is enabled may change later.
func engineLog(log *slog.Logger) (emit func(at time.Time, level int, text string), level int) {
	ctx, h := context.Background(), log.With("source", "info log").Handler()
	level = logInfo
	if h.Enabled(ctx, logLevels[logDebug]) {
		level = logDebug
	}
	return func(at time.Time, level int, text string) {
		l := logLevels[min(level, logFatal)]
		if h.Enabled(ctx, l) {
			// A handler has nowhere to take an error to.
			_ = h.Handle(ctx, slog.NewRecord(at, l, text, 0))
		}
	}, level
}
