// The boundary to LevelDB. Conventions:
//
//  1. Each function is one crossing of a hot path that LevelDB's C API would
//     need several for, or mends what levigo does wrong off it. Only
//     leveldb/c.h stands behind it.
//  2. Lengths are size_t. A pointer with length 0 may be NULL.
//  3. Memory of the caller (keys, values, buffers) is only used during the
//     call. What a call leaves allocated is in a field named held or err: held
//     goes to the take function named with it, err to leveldb_free.
//  4. An err of NULL is success; otherwise it is the status as text.
//  5. A call that many goroutines may make at a time gets its place in the store's
//     guard (see internal/handle), or NULL, and leaves it when it is done with
//     the engine. In Go that would be later: a goroutine that comes back may have to
//     wait for its turn, and would keep the place from others meanwhile. The
//     result's left says how it was left. What is held does not need the engine.
//  6. Nothing here calls back into Go, logs, or blocks on anything but LevelDB.
//
// It does not support comparators or environments of one's own, loggers, and
// filters other than Bloom's.
#ifndef LSMKIT_LEVELDB_CAPI_H
#define LSMKIT_LEVELDB_CAPI_H

#include <stddef.h>
#include <stdint.h>

#include <leveldb/c.h>

// Handles are pointers to these. cgo, as long as it doesn't know what is in
// them, looks in each call whether that is memory of Go's.
struct leveldb_t { char opaque; };
struct leveldb_readoptions_t { char opaque; };
struct leveldb_snapshot_t { char opaque; };
struct leveldb_writebatch_t { char opaque; };
struct leveldb_writeoptions_t { char opaque; };

// How a call's place was left; the numbers of internal/handle.
enum { LDB_INSIDE, LDB_DEPARTED, LDB_DEPARTED_FULL };

// ldb_leave exists to leave a call's place from all calls in one way.
static inline int ldb_leave(int64_t *place) {
  if (place == NULL) return LDB_INSIDE;
  return __atomic_sub_fetch(place, 1, __ATOMIC_SEQ_CST) >= 0 ? LDB_DEPARTED_FULL
                                                             : LDB_DEPARTED;
}

// A value: len bytes in the caller's buffer or, where that was too small, in
// held until ldb_take.
typedef struct {
  char *err;
  char *held;
  size_t len;
  int found;
  int left;
} ldb_value;

// ldb_get exists because leveldb_get returns a malloc'd copy, which takes a
// second crossing to copy and a third to free. And leveldb_get finds nothing, and
// no error, where the table file is gone.
ldb_value ldb_get(leveldb_t *db, const leveldb_readoptions_t *ro,
                  const char *key, size_t nkey, char *buf, size_t cap,
                  int64_t *place);

// ldb_take copies a held value of len bytes to buf and frees it.
void ldb_take(char *held, size_t len, char *buf);

// ldb_put and ldb_delete exist to return the error by value (a Go out-parameter
// would escape to the heap), and to use a batch again: leveldb_put makes one for
// each record, whose memory grows four times for 100 bytes. The batch is empty
// before and after; no two calls may have it at a time.
char *ldb_put(leveldb_t *db, const leveldb_writeoptions_t *wo,
              leveldb_writebatch_t *batch, const char *key, size_t nkey,
              const char *value, size_t nvalue);
char *ldb_delete(leveldb_t *db, const leveldb_writeoptions_t *wo,
                 leveldb_writebatch_t *batch, const char *key, size_t nkey);

// ldb_write exists because LevelDB's C API can't take an encoded batch: it
// decodes rep (see store.Batch) into batch, as above, and commits that.
char *ldb_write(leveldb_t *db, const leveldb_writeoptions_t *wo,
                leveldb_writebatch_t *batch, const char *rep, size_t nrep);

// Values of a multi-get: sizes[i] is a length or -1; len bytes of values in
// the caller's buffer or in held until ldb_multi_take.
typedef struct ldb_multi ldb_multi;
typedef struct {
  char *err;
  ldb_multi *held;
  size_t len;
  int left;
} ldb_values;

// ldb_multi_get exists to look up n keys in one crossing and one state of the
// store: ro is copied with a snapshot if it has none (own_snapshot). The keys
// lie one after the other in keys, with their lengths in nkeys.
ldb_values ldb_multi_get(leveldb_t *db, const leveldb_readoptions_t *ro,
                         int own_snapshot, int verify, const char *keys,
                         const size_t *nkeys, size_t n, int64_t *sizes,
                         char *buf, size_t cap, int64_t *place);

// ldb_multi_take copies held values to buf and frees them; a NULL buf only
// frees.
void ldb_multi_take(ldb_multi *held, char *buf);

// An iterator with what must live as long: read options and bounds.
typedef struct ldb_iter ldb_iter;

enum {
  LDB_LOWER = 1,
  LDB_UPPER = 2,
  LDB_KEYS_ONLY = 4,
  LDB_FILL_CACHE = 8,
  LDB_VERIFY = 16,
  LDB_OWN = 32,
};

// ldb_iter_new exists to make read options, bounds and iterator in one
// crossing, with bounds in C memory. ro are the read options of the store or of
// the snapshot, which outlive it and do unless the flags have LDB_OWN. It
// returns NULL when memory is out.
ldb_iter *ldb_iter_new(leveldb_t *db, const leveldb_readoptions_t *ro,
                       const leveldb_snapshot_t *snapshot, int flags,
                       const char *lower, size_t nlower, const char *upper,
                       size_t nupper);
void ldb_iter_free(ldb_iter *x);

// The operations of internal/chunk, with the same numbers.
enum {
  LDB_FIRST,
  LDB_LAST,
  LDB_SEEK_GE,
  LDB_SEEK_GT,
  LDB_SEEK_LT,
  LDB_NEXT,
  LDB_PREV,
};

typedef struct {
  char *err;
  size_t used;
  size_t need;
  uint32_t count;
  uint32_t end;
  int left;
} ldb_chunk;

// ldb_iter_fill exists because an entry costs four crossings otherwise: it
// moves the iterator and fills buf with up to limit entries. Bounds are applied
// here, since LevelDB has none.
ldb_chunk ldb_iter_fill(ldb_iter *x, int op, const char *key, size_t nkey,
                        char *buf, size_t cap, uint32_t limit,
                        int64_t *place);

// ldb_snapshot_new and _free exist because levigo doesn't export a snapshot's
// handle; ro reads at the snapshot.
const leveldb_snapshot_t *ldb_snapshot_new(leveldb_t *db, int verify,
                                           leveldb_readoptions_t **ro);
void ldb_snapshot_free(leveldb_t *db, const leveldb_snapshot_t *snapshot,
                       leveldb_readoptions_t *ro);

// ldb_read_options and ldb_write_options exist to make a store's options once,
// so that no call has to.
leveldb_readoptions_t *ldb_read_options(int verify);
leveldb_writeoptions_t *ldb_write_options(int sync);

// ldb_compact exists because levigo turns an empty bound into none: flags
// (LDB_LOWER, LDB_UPPER) say which bounds there are.
void ldb_compact(leveldb_t *db, int flags, const char *start, size_t nstart,
                 const char *end, size_t nend);

// ldb_flush exists because LevelDB's C API has no flush: compacting a range
// whose start lies behind its end writes the memtable out and starts a new log.
void ldb_flush(leveldb_t *db);

// ldb_level0 exists to read the number of files in level 0 without a string of
// Go's.
int ldb_level0(leveldb_t *db);

// ldb_check exists because flushes and compactions report nothing: an empty
// write returns the background error, if there is one.
char *ldb_check(leveldb_t *db, const leveldb_writeoptions_t *wo);

// ldb_sizes exists because levigo panics on no ranges: the 2n bounds lie one
// after the other in keys, with their lengths in nkeys.
void ldb_sizes(leveldb_t *db, const char *keys, const size_t *nkeys, size_t n,
               uint64_t *sizes);

// ldb_build exists to tell what scripts/build-deps.sh has written into its
// libraries: how they were compiled. It returns NULL with any other library.
const char *ldb_build(void);

#endif
