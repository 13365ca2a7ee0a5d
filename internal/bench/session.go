package bench

import (
	"errors"

	"github.com/lsmkit/lsmkit/store"
)

// session is one engine's store during a pass.
type session struct {
	engine  *Engine
	path    string
	options store.Options
	db      store.DB // nil while it is closed

	// known: the store was empty when the pass began or the store was renewed,
	// so that history says all that is in it.
	known   bool
	history []*written
	// grown is the number of key numbers behind Num that have been used.
	grown    int64
	triggers triggers
}

// written is what one workload has written to the store as it is.
type written struct {
	row    int // index of its result
	plan   *plan
	counts []int64 // operations done by each worker
	bytes  int64   // of keys and values
}

// pristine tells whether the store is new and nothing has used it yet.
func (s *session) pristine() bool { return s.known && len(s.history) == 0 }

// open opens the store. A new one must not be there before.
func (s *session) open(fresh bool) error {
	o := s.options
	if fresh && !s.engine.InMemory {
		o.ErrorIfExists = true
	}
	db, err := s.engine.Open(s.path, o)
	if err != nil {
		return err
	}
	s.db = db
	if fresh {
		s.known, s.history, s.grown = true, nil, 0
	}
	return nil
}

// close closes the store, if it is open.
func (s *session) close() error {
	if s.db == nil {
		return nil
	}
	db := s.db
	s.db = nil
	return db.Close()
}

// reopen closes the store and opens it again as it is.
func (s *session) reopen() error {
	if err := s.close(); err != nil {
		return err
	}
	return s.open(false)
}

// destroy removes the files of the store, which is closed.
func (s *session) destroy() error {
	s.known, s.history, s.grown = false, nil, 0
	if s.engine.Destroy == nil {
		return nil
	}
	err := s.engine.Destroy(s.path)
	if errors.Is(err, store.ErrNotExist) {
		return nil
	}
	return err
}
