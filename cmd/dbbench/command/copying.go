package command

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lsmkit/lsmkit/internal/bench"
	"github.com/lsmkit/lsmkit/internal/report"
	"github.com/lsmkit/lsmkit/store"
)

// copying is a copy under way.
type copying struct {
	o              *copyOptions
	source, target *bench.Engine
	watcher        *copyWatcher

	src, dst store.DB
	result   copyResult
}

// run opens both stores, copies, verifies and closes. Without a result nothing was
// copied, since a store could not be opened.
func (c *copying) run(ctx context.Context) (*copyResult, error) {
	if err := c.open(); err != nil {
		return nil, err
	}
	c.result = copyResult{Schema: 1, From: c.o.from, To: c.o.to, Status: bench.StatusOK}
	err := c.copy(ctx)
	if err == nil && c.o.verify {
		err = c.compare(ctx)
	}
	interrupted := ctx.Err() != nil && errors.Is(err, ctx.Err()) // what failed before Ctrl-C has failed
	closing := errors.Join(c.dst.Close(), c.src.Close())
	err = errors.Join(err, closing)
	switch {
	case interrupted && closing == nil:
		c.result.Status = bench.StatusInterrupted
	case err != nil:
		c.result.Status, c.result.Error = bench.StatusFailed, err.Error()
	}
	return &c.result, err
}

func (c *copying) open() (err error) {
	if c.src, err = openSource(c.source, c.o.from.path); err != nil {
		return fmt.Errorf("--from: %w", err)
	}
	if c.dst, err = openDestination(c.target, c.o.to.path, c.o.resume); err != nil {
		return errors.Join(fmt.Errorf("--to: %w", err), c.src.Close())
	}
	return nil
}

func (c *copying) copy(ctx context.Context) error {
	c.watcher.begin("copy", 0)
	begun := time.Now()
	p, err := store.Copy(ctx, c.dst, c.src, &store.CopyOptions{
		Resume: c.o.resume, Progress: c.watcher.copied,
	})
	c.result.count(p, time.Since(begun))
	c.watcher.end(c.result.done()+c.result.rate(), err)
	return err
}

// compare reads both stores at once and compares their checksums.
func (c *copying) compare(ctx context.Context) error {
	var read atomic.Int64
	c.watcher.begin("verify", int64(2*(c.result.Entries+c.result.Found)))
	begun := time.Now()
	stop := c.watcher.follow(&read)
	var sums [2]store.Digest
	var errs [2]error
	both, cancel := context.WithCancel(ctx) // with one failed, the other has no use
	defer cancel()
	var wg sync.WaitGroup
	for i, db := range []store.DB{c.src, c.dst} {
		wg.Go(func() {
			if sums[i], errs[i] = store.Checksum(both, counted{db, &read}, store.KeyRange{}); errs[i] != nil {
				cancel()
			}
		})
	}
	wg.Wait()
	stop()
	err := firstFailure(errs)
	if err == nil && sums[0] != sums[1] {
		err = c.difference(ctx, sums)
	}
	c.result.VerifySeconds = time.Since(begun).Seconds()
	if err == nil {
		c.result.Verified, c.result.SHA256 = true, sums[0].String()
	}
	c.watcher.end("sha256 "+sums[0].String(), err)
	return err
}

// firstFailure returns one of the errors, that of a store rather than that of a
// context.
func firstFailure(errs [2]error) error {
	if errors.Is(errs[0], context.Canceled) && errs[1] != nil || errs[0] == nil {
		return errs[1]
	}
	return errs[0]
}

// difference says in what the copy differs from the source.
func (c *copying) difference(ctx context.Context, sums [2]store.Digest) error {
	what := fmt.Sprintf("the copy differs from the source: %d entries of %d bytes, not %d of %d",
		sums[1].Entries, sums[1].Bytes, sums[0].Entries, sums[0].Bytes)
	differences, errf := store.Diff(ctx, c.src, c.dst, store.KeyRange{})
	for d := range differences {
		return fmt.Errorf("%s; first at key %s", what, strconv.Quote(report.OneLine(string(d.Key))))
	}
	if err := errf(); err != nil { // not wrapped: that they differ is the failure
		return fmt.Errorf("%s; where was not found: %v", what, err)
	}
	return errors.New(what)
}

// counted is a Reader that counts the entries that its iterators read.
type counted struct {
	store.Reader
	n *atomic.Int64
}

func (c counted) NewIterator(o *store.IterOptions) (store.Iterator, error) {
	it, err := c.Reader.NewIterator(o)
	if err != nil {
		return nil, err
	}
	return countedIterator{it, c.n}, nil
}

type countedIterator struct {
	store.Iterator
	n *atomic.Int64
}

func (c countedIterator) Next() bool {
	c.n.Add(1)
	return c.Iterator.Next()
}
