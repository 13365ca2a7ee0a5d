package plain

import (
	"context"

	"github.com/linxGnu/grocksdb"

	"github.com/lsmkit/lsmkit/rocksdb"
	"github.com/lsmkit/lsmkit/store"
)

type rocksDB struct {
	rest
	db          *grocksdb.DB
	opts        *grocksdb.Options
	table       *grocksdb.BlockBasedTableOptions
	cache       *grocksdb.Cache
	read        *grocksdb.ReadOptions
	scan        *grocksdb.ReadOptions // fills no cache
	async, sync *grocksdb.WriteOptions
}

var codecs = map[store.Compression]grocksdb.CompressionType{
	store.NoCompression: grocksdb.NoCompression,
	store.Snappy:        grocksdb.SnappyCompression,
	store.LZ4:           grocksdb.LZ4Compression,
	store.Zstd:          grocksdb.ZSTDCompression,
	store.Zlib:          grocksdb.ZLibCompression,
}

// OpenRocksDB opens a RocksDB store with grocksdb.
func OpenRocksDB(path string, o store.Options) (store.DB, error) {
	d := &rocksDB{rest: rest{rocksdb.Engine}}
	e, err := (&rocksdb.Options{Options: o}).Effective()
	if err != nil {
		return nil, err
	}
	if err := makeParents(path, o); err != nil {
		return nil, d.fail("open", err)
	}
	d.makeOptions(e)
	if d.db, err = grocksdb.OpenDb(d.opts, path); err != nil {
		d.freeOptions()
		return nil, d.fail("open", err)
	}
	return d, nil
}

func (d *rocksDB) makeOptions(o *rocksdb.Options) {
	d.opts = grocksdb.NewDefaultOptions()
	d.opts.SetCreateIfMissing(o.CreateIfMissing)
	d.opts.SetErrorIfExists(o.ErrorIfExists)
	d.opts.SetParanoidChecks(o.ParanoidChecks.Enabled(true))
	d.opts.SetWriteBufferSize(uint64(o.WriteBufferSize))
	d.opts.SetMaxOpenFiles(o.MaxOpenFiles)
	d.opts.SetTargetFileSizeBase(uint64(o.MaxFileSize))
	d.opts.SetCompression(codecs[o.Compression])
	d.table = grocksdb.NewDefaultBlockBasedTableOptions()
	d.table.SetBlockSize(int(o.BlockSize))
	d.table.SetBlockRestartInterval(o.BlockRestartInterval)
	d.cache = grocksdb.NewLRUCache(uint64(o.BlockCacheSize))
	d.table.SetBlockCache(d.cache)
	if o.BloomBits > 0 {
		d.table.SetFilterPolicy(grocksdb.NewBloomFilter(float64(o.BloomBits)))
	}
	d.opts.SetBlockBasedTableFactory(d.table)
	verify := o.VerifyChecksums.Enabled(true)
	d.read, d.scan = grocksdb.NewDefaultReadOptions(), grocksdb.NewDefaultReadOptions()
	d.read.SetVerifyChecksums(verify)
	d.scan.SetVerifyChecksums(verify)
	d.scan.SetFillCache(false)
	d.async, d.sync = grocksdb.NewDefaultWriteOptions(), grocksdb.NewDefaultWriteOptions()
	d.sync.SetSync(true)
}

func (d *rocksDB) freeOptions() {
	d.read.Destroy()
	d.scan.Destroy()
	d.async.Destroy()
	d.sync.Destroy()
	d.opts.Destroy()
	d.table.Destroy()
	d.cache.Destroy()
}

func (d *rocksDB) writeOptions(o *store.WriteOptions) *grocksdb.WriteOptions {
	if o.Synced() {
		return d.sync
	}
	return d.async
}

func (d *rocksDB) Put(key, value []byte, o *store.WriteOptions) error {
	return d.fail("put", d.db.Put(d.writeOptions(o), key, value))
}

func (d *rocksDB) Delete(key []byte, o *store.WriteOptions) error {
	return d.fail("delete", d.db.Delete(d.writeOptions(o), key))
}

// Write copies the batch into one of grocksdb's. The comparison of batches fills
// grocksdb's own instead; see NewBatch.
func (d *rocksDB) Write(b *store.Batch, o *store.WriteOptions) error {
	w := grocksdb.NewWriteBatch()
	defer w.Destroy()
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

// rocksBatch is a batch of grocksdb's, kept and cleared between writes.
type rocksBatch struct {
	*grocksdb.WriteBatch
	d *rocksDB
}

func (d *rocksDB) newBatch() Batch { return rocksBatch{grocksdb.NewWriteBatch(), d} }

func (b rocksBatch) Write(o *store.WriteOptions) error {
	return b.d.fail("write", b.d.db.Write(b.d.writeOptions(o), b.WriteBatch))
}

func (b rocksBatch) Close() { b.Destroy() }

func (d *rocksDB) Get(key []byte) ([]byte, error) {
	v, err := d.db.GetBytes(d.read, key)
	if err != nil {
		return nil, d.fail("get", err)
	}
	if v == nil {
		return nil, store.ErrNotFound
	}
	return v, nil
}

// AppendGet copies the value out of a slice of grocksdb's, which it frees.
func (d *rocksDB) AppendGet(dst, key []byte) ([]byte, error) {
	v, err := d.db.Get(d.read, key)
	if err != nil {
		return dst, d.fail("get", err)
	}
	if !v.Exists() {
		return dst, store.ErrNotFound
	}
	dst = append(dst, v.Data()...)
	v.Free()
	return dst, nil
}

func (d *rocksDB) MultiGet(keys [][]byte, dst *store.Values) error {
	dst.Reset()
	values, err := d.db.MultiGet(d.read, keys...)
	if err != nil {
		return d.fail("multi-get", err)
	}
	for _, v := range values {
		if v.Exists() {
			dst.Append(v.Data())
		} else {
			dst.AppendMissing()
		}
	}
	values.Destroy()
	return nil
}

// compactForced is BottommostLevelCompaction::kForceOptimized, as our engine
// and db_bench compact.
const compactForced = 3

// Compact compacts the whole store.
func (d *rocksDB) Compact(_ context.Context, r store.KeyRange) error {
	o := grocksdb.NewCompactRangeOptions()
	defer o.Destroy()
	o.SetBottommostLevelCompaction(compactForced)
	d.db.CompactRangeOpt(grocksdb.Range{Start: r.Start, Limit: r.End}, o)
	return nil
}

func (d *rocksDB) Property(name string) (string, error) { return d.db.GetProperty(name), nil }

func (d *rocksDB) Close() error {
	d.db.Close()
	d.freeOptions()
	return nil
}

// NewIterator ignores bounds and prefix.
func (d *rocksDB) NewIterator(o *store.IterOptions) (store.Iterator, error) {
	ro := d.read
	if o != nil && o.FillCache == store.Off {
		ro = d.scan
	}
	return &rocksIterator{it: d.db.NewIterator(ro), rest: d.rest}, nil
}

// rocksIterator keeps the slices of an entry until the next step, when it frees
// them.
type rocksIterator struct {
	it         *grocksdb.Iterator
	rest       rest
	key, value *grocksdb.Slice
}

func (i *rocksIterator) free() {
	if i.key != nil {
		i.key.Free()
		i.key = nil
	}
	if i.value != nil {
		i.value.Free()
		i.value = nil
	}
}

func (i *rocksIterator) First() bool {
	i.free()
	i.it.SeekToFirst()
	return i.it.Valid()
}

func (i *rocksIterator) Last() bool {
	i.free()
	i.it.SeekToLast()
	return i.it.Valid()
}

func (i *rocksIterator) SeekGE(key []byte) bool {
	i.free()
	i.it.Seek(key)
	return i.it.Valid()
}

func (i *rocksIterator) SeekLT(key []byte) bool {
	i.free()
	i.it.SeekForPrev(key)
	if i.it.Valid() && string(i.Key()) == string(key) {
		i.free()
		i.it.Prev()
	}
	return i.it.Valid()
}

func (i *rocksIterator) Next() bool {
	i.free()
	i.it.Next()
	return i.it.Valid()
}

func (i *rocksIterator) Prev() bool {
	i.free()
	i.it.Prev()
	return i.it.Valid()
}

func (i *rocksIterator) Valid() bool { return i.it.Valid() }

func (i *rocksIterator) Key() []byte {
	if i.key == nil {
		i.key = i.it.Key()
	}
	return i.key.Data()
}

func (i *rocksIterator) Value() []byte {
	if i.value == nil {
		i.value = i.it.Value()
	}
	return i.value.Data()
}

func (i *rocksIterator) Err() error { return i.rest.fail("iterator", i.it.Err()) }

func (i *rocksIterator) Close() error {
	i.free()
	i.it.Close()
	return nil
}
