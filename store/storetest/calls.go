package storetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/lsmkit/lsmkit/store"
)

// call is one use of a method. It returns the method's error, or one that says
// what besides the error was wrong.
type call struct {
	name string
	do   func() error
}

// readerCalls are all methods of a Reader. Against one that is closed, each
// must also return nothing but its error.
func readerCalls(r store.Reader) []call {
	key := []byte("key000001")
	return []call{
		{"Get", func() error {
			v, err := r.Get(key)
			return with(err, v == nil)
		}},
		{"AppendGet", func() error {
			v, err := r.AppendGet([]byte("dst"), key)
			return with(err, string(v) == "dst")
		}},
		{"Has", func() error {
			ok, err := r.Has(key)
			return with(err, !ok)
		}},
		{"MultiGet", func() error {
			var vs store.Values
			vs.Append([]byte("old"))
			err := r.MultiGet([][]byte{key, key}, &vs)
			return with(err, vs.Len() == 0)
		}},
		{"MultiGet of nothing", func() error { return r.MultiGet(nil, new(store.Values)) }},
		{"NewIterator", func() error {
			it, err := r.NewIterator(nil)
			return closeMade(it, err)
		}},
		{"NewIterator with options", func() error {
			it, err := r.NewIterator(&store.IterOptions{Prefix: []byte("k"), Lower: []byte("a"), Upper: []byte("z"), Reverse: true})
			return closeMade(it, err)
		}},
	}
}

// writerCalls are all methods of a Writer.
func writerCalls(w store.Writer) []call {
	k, v := []byte("new"), []byte("value")
	b := store.NewBatch(0)
	// An error here would show as a missing change in the tests of batches.
	_ = errors.Join(b.Put(k, v), b.DeleteRange([]byte("o"), nil))
	return []call{
		{"Put", func() error { return w.Put(k, v, nil) }},
		{"Put with sync", func() error { return w.Put(k, v, store.Sync) }},
		{"Delete", func() error { return w.Delete(k, nil) }},
		{"DeleteRange", func() error { return w.DeleteRange([]byte("n"), []byte("o"), nil) }},
		{"DeleteRange to the end", func() error { return w.DeleteRange([]byte("zz"), nil, nil) }},
		{"DeleteRange of nothing", func() error { return w.DeleteRange([]byte("n"), []byte("n"), nil) }},
		{"Write", func() error { return w.Write(b, nil) }},
		{"Write with a context", func() error { return w.Write(b, &store.WriteOptions{Context: context.Background()}) }},
		{"Write of nil", func() error { return w.Write(nil, nil) }},
		{"Write of nothing", func() error { return w.Write(new(store.Batch), nil) }},
	}
}

// dbCalls are all methods of a DB but Close.
func dbCalls(db store.DB) []call {
	calls := append(append(readerCalls(db), writerCalls(db)...), []call{
		{"NewSnapshot", func() error {
			s, err := db.NewSnapshot()
			if err != nil {
				return with(err, s == nil)
			}
			return s.Release()
		}},
		{"Flush", db.Flush},
		{"Compact", func() error { return db.Compact(context.Background(), store.KeyRange{}) }},
		{"Compact of a range", func() error { return db.Compact(nil, store.PrefixRange([]byte("k"))) }},
		{"ApproximateSizes", func() error {
			sizes, err := db.ApproximateSizes([]store.KeyRange{{}})
			return with(err, sizes == nil)
		}},
		{"ApproximateSizes of nothing", func() error {
			_, err := db.ApproximateSizes(nil)
			return err
		}},
		{"Property", func() error {
			text, err := db.Property("no such property")
			return with(err, text == "")
		}},
		{"Metrics", func() error {
			_, err := db.Metrics()
			return err
		}},
	}...)
	if s, ok := db.(store.Staller); ok {
		calls = append(calls, call{"Stalls", func() error {
			_, err := s.Stalls()
			return err
		}}, call{"WaitWritable", func() error { return s.WaitWritable(context.Background()) }})
	}
	if f, ok := db.(store.WALFlusher); ok {
		calls = append(calls, call{"FlushWAL", func() error { return f.FlushWAL(false) }})
	}
	return calls
}

// with returns err. If that is not nil, clean must hold: nothing else is
// returned with an error.
func with(err error, clean bool) error {
	if err != nil && !clean {
		return fmt.Errorf("a result came with an error (%v)", err)
	}
	return err
}

// closeMade closes what was made; a call that failed must give a nil interface.
func closeMade(it store.Iterator, err error) error {
	if err != nil {
		return with(err, it == nil)
	}
	it.First()
	return it.Close()
}

// allClosed checks that each call is refused as closed.
func (t *env) allClosed(calls []call, what string) {
	t.Helper()
	for _, c := range calls {
		t.wantKind(c.do(), store.ErrClosed, what+": "+c.name)
	}
}

// live tells whether err is one that a call may give while another goroutine
// closes the store: none, not found, or closed.
func live(err error) bool {
	return err == nil || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrClosed)
}
