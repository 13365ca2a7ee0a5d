package plain

/*
#include <leveldb/c.h>
*/
import "C"

import (
	"context"
	"unsafe"

	"github.com/jmhodges/levigo"

	"github.com/lsmkit/lsmkit/leveldb"
	"github.com/lsmkit/lsmkit/store"
)

type levelDB struct {
	rest
	db          *levigo.DB
	opts        *levigo.Options
	cache       *levigo.Cache
	filter      *levigo.FilterPolicy
	read        *levigo.ReadOptions
	scan        *levigo.ReadOptions // fills no cache
	async, sync *levigo.WriteOptions
}

// OpenLevelDB opens a LevelDB store with levigo.
func OpenLevelDB(path string, o store.Options) (store.DB, error) {
	d := &levelDB{rest: rest{leveldb.Engine}}
	e, err := (&leveldb.Options{Options: o}).Effective()
	if err != nil {
		return nil, err
	}
	if err := makeParents(path, o); err != nil {
		return nil, d.fail("open", err)
	}
	d.makeOptions(e)
	if d.db, err = levigo.Open(path, d.opts); err != nil {
		d.freeOptions()
		return nil, d.fail("open", err)
	}
	return d, nil
}

func (d *levelDB) makeOptions(o *leveldb.Options) {
	d.opts = levigo.NewOptions()
	d.opts.SetCreateIfMissing(o.CreateIfMissing)
	d.opts.SetErrorIfExists(o.ErrorIfExists)
	// As package leveldb sets it: verification switches it on.
	d.opts.SetParanoidChecks(o.VerifyChecksums.Enabled(true) || o.ParanoidChecks.Enabled(false))
	d.opts.SetWriteBufferSize(int(o.WriteBufferSize))
	d.opts.SetMaxOpenFiles(o.MaxOpenFiles)
	d.opts.SetBlockSize(int(o.BlockSize))
	d.opts.SetBlockRestartInterval(o.BlockRestartInterval)
	d.opts.SetCompression(levigo.SnappyCompression)
	if o.Compression == store.NoCompression {
		d.opts.SetCompression(levigo.NoCompression)
	}
	// levigo has no setter for the file size, and the sides must have the same.
	C.leveldb_options_set_max_file_size((*C.leveldb_options_t)(unsafe.Pointer(d.opts.Opt)), C.size_t(o.MaxFileSize))
	d.cache = levigo.NewLRUCache(int(o.BlockCacheSize))
	d.opts.SetCache(d.cache)
	if o.BloomBits > 0 {
		d.filter = levigo.NewBloomFilter(o.BloomBits)
		d.opts.SetFilterPolicy(d.filter)
	}
	verify := o.VerifyChecksums.Enabled(true)
	d.read, d.scan = levigo.NewReadOptions(), levigo.NewReadOptions()
	d.read.SetVerifyChecksums(verify)
	d.scan.SetVerifyChecksums(verify)
	d.scan.SetFillCache(false)
	d.async, d.sync = levigo.NewWriteOptions(), levigo.NewWriteOptions()
	d.sync.SetSync(true)
}

func (d *levelDB) freeOptions() {
	d.read.Close()
	d.scan.Close()
	d.async.Close()
	d.sync.Close()
	d.opts.Close()
	if d.filter != nil {
		d.filter.Close()
	}
	d.cache.Close()
}

func (d *levelDB) writeOptions(o *store.WriteOptions) *levigo.WriteOptions {
	if o.Synced() {
		return d.sync
	}
	return d.async
}

func (d *levelDB) Put(key, value []byte, o *store.WriteOptions) error {
	return d.fail("put", d.db.Put(d.writeOptions(o), key, value))
}

func (d *levelDB) Delete(key []byte, o *store.WriteOptions) error {
	return d.fail("delete", d.db.Delete(d.writeOptions(o), key))
}

// Write copies the batch into one of levigo's. The comparison of batches fills
// levigo's own instead; see NewBatch.
func (d *levelDB) Write(b *store.Batch, o *store.WriteOptions) error {
	w := levigo.NewWriteBatch()
	defer w.Close()
	err := b.Each(func(r store.Record) error {
		switch r.Kind {
		case store.KindPut:
			w.Put(r.Key, r.Value)
		case store.KindDelete:
			w.Delete(r.Key)
		default:
			return d.no("batch")
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.fail("write", d.db.Write(d.writeOptions(o), w))
}

// levelBatch is a batch of levigo's, kept and cleared between writes.
type levelBatch struct {
	*levigo.WriteBatch
	d *levelDB
}

func (d *levelDB) newBatch() Batch { return levelBatch{levigo.NewWriteBatch(), d} }

func (b levelBatch) Write(o *store.WriteOptions) error {
	return b.d.fail("write", b.d.db.Write(b.d.writeOptions(o), b.WriteBatch))
}

func (d *levelDB) Get(key []byte) ([]byte, error) {
	v, err := d.db.Get(d.read, key)
	if err != nil {
		return nil, d.fail("get", err)
	}
	if v == nil {
		return nil, store.ErrNotFound
	}
	return v, nil
}

// AppendGet returns levigo's own copy where dst is empty: another copy would be
// one that levigo's callers don't make.
func (d *levelDB) AppendGet(dst, key []byte) ([]byte, error) {
	v, err := d.Get(key)
	if err != nil {
		return dst, err
	}
	if len(dst) == 0 {
		return v, nil
	}
	return append(dst, v...), nil
}

// MultiGet gets one key after the other; levigo has nothing else.
func (d *levelDB) MultiGet(keys [][]byte, dst *store.Values) error {
	dst.Reset()
	for _, key := range keys {
		v, err := d.db.Get(d.read, key)
		if err != nil {
			dst.Reset()
			return d.fail("multi-get", err)
		}
		if v == nil {
			dst.AppendMissing()
		} else {
			dst.Append(v)
		}
	}
	return nil
}

// Compact compacts the whole store.
func (d *levelDB) Compact(_ context.Context, r store.KeyRange) error {
	d.db.CompactRange(levigo.Range{Start: r.Start, Limit: r.End})
	return nil
}

func (d *levelDB) Property(name string) (string, error) { return d.db.PropertyValue(name), nil }

func (d *levelDB) Close() error {
	d.db.Close()
	d.freeOptions()
	return nil
}

// NewIterator ignores bounds and prefix.
func (d *levelDB) NewIterator(o *store.IterOptions) (store.Iterator, error) {
	ro := d.read
	if o != nil && o.FillCache == store.Off {
		ro = d.scan
	}
	return &levelIterator{it: d.db.NewIterator(ro), rest: d.rest}, nil
}

// levelIterator copies an entry's key and value once, as levigo can't do
// without a copy, and only when it is asked for them.
type levelIterator struct {
	it         *levigo.Iterator
	rest       rest
	key, value []byte
}

func (i *levelIterator) moved() bool {
	i.key, i.value = nil, nil
	return i.it.Valid()
}

func (i *levelIterator) First() bool {
	i.it.SeekToFirst()
	return i.moved()
}

func (i *levelIterator) Last() bool {
	i.it.SeekToLast()
	return i.moved()
}

func (i *levelIterator) SeekGE(key []byte) bool {
	i.it.Seek(key)
	return i.moved()
}

func (i *levelIterator) SeekLT(key []byte) bool {
	i.it.Seek(key)
	if i.it.Valid() {
		i.it.Prev()
	} else {
		i.it.SeekToLast()
	}
	return i.moved()
}

func (i *levelIterator) Next() bool {
	i.it.Next()
	return i.moved()
}

func (i *levelIterator) Prev() bool {
	i.it.Prev()
	return i.moved()
}

func (i *levelIterator) Valid() bool { return i.it.Valid() }

func (i *levelIterator) Key() []byte {
	if i.key == nil {
		i.key = i.it.Key()
	}
	return i.key
}

func (i *levelIterator) Value() []byte {
	if i.value == nil {
		i.value = i.it.Value()
	}
	return i.value
}

func (i *levelIterator) Err() error { return i.rest.fail("iterator", i.it.GetError()) }

func (i *levelIterator) Close() error {
	i.it.Close()
	return nil
}
