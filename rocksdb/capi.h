// The boundary to RocksDB. Conventions:
//
//  1. Each function is one crossing of a hot path that RocksDB's C API would
//     need several for, or mends what grocksdb does wrong off it. Only
//     rocksdb/c.h stands behind it.
//  2. Lengths are size_t. A pointer with length 0 may be NULL.
//  3. Memory of the caller (keys, values, buffers) is only used during the
//     call. What a call leaves allocated is in a field named held or err: held
//     goes to the take function named with it, err to rocksdb_free.
//  4. An err of NULL is success; otherwise it is the status as text.
//  5. A call that many goroutines may make at a time gets its place in the store's
//     guard (see internal/handle), or NULL, and leaves it when it is done with
//     the engine. In Go that would be later: a goroutine that comes back may have to
//     wait for its turn, and would keep the place from others meanwhile. The
//     result's left says how it was left: RDB_INSIDE, which is not at all, with
//     held, which needs the engine.
//  6. Nothing here calls back into Go. RocksDB logs on the calling thread, which
//     is in a call that must not enter Go: lines stay in C until Go takes them.
//
// It does not support comparators, merge operators, compaction filters or
// environments of one's own, and column families other than default.
#ifndef LSMKIT_ROCKSDB_CAPI_H
#define LSMKIT_ROCKSDB_CAPI_H

#include <stddef.h>
#include <stdint.h>

#include <rocksdb/c.h>

// Handles are pointers to these. cgo, as long as it doesn't know what is in
// them, looks in each call whether that is memory of Go's.
struct rocksdb_t { char opaque; };
struct rocksdb_readoptions_t { char opaque; };
struct rocksdb_snapshot_t { char opaque; };
struct rocksdb_writebatch_t { char opaque; };
struct rocksdb_writeoptions_t { char opaque; };

// How a call's place was left; the numbers of internal/handle.
enum { RDB_INSIDE, RDB_DEPARTED, RDB_DEPARTED_FULL };

// rdb_leave exists to leave a call's place from all calls in one way.
static inline int rdb_leave(int64_t *place) {
  if (place == NULL) return RDB_INSIDE;
  return __atomic_sub_fetch(place, 1, __ATOMIC_SEQ_CST) >= 0 ? RDB_DEPARTED_FULL
                                                             : RDB_DEPARTED;
}

// Whether this thread counts, for rdb_count.
extern __thread int rdb_counting;

// rdb_quiet exists because RocksDB counts what each step of a read does, per thread,
// unless it is told not to: a walk takes a twentieth longer with it, and nobody can
// ask for the counts of a thread that Go chooses. Reads and writes begin with it.
static inline void rdb_quiet(void) {
  if (!rdb_counting) rocksdb_set_perf_level(rocksdb_disable);
}

// rdb_count exists for who does ask: RocksDB counts on this thread, until it is
// called with rocksdb_disable. It returns 0 where the thread counts already.
int rdb_count(int level);

// A value: len bytes in the caller's buffer or, where that was too small, in
// held until rdb_take.
typedef struct {
  char *err;
  rocksdb_pinnableslice_t *held;
  size_t len;
  int found;
  int left;
} rdb_value;

// rdb_get exists because a get takes three crossings otherwise (get, copy,
// free). The value is copied from the block cache once.
rdb_value rdb_get(rocksdb_t *db, const rocksdb_readoptions_t *ro,
                  const char *key, size_t nkey, char *buf, size_t cap,
                  int64_t *place);

// rdb_has exists to look a key up without copying its value.
rdb_value rdb_has(rocksdb_t *db, const rocksdb_readoptions_t *ro,
                  const char *key, size_t nkey, int64_t *place);

// rdb_take copies a held value of len bytes to buf and frees it.
void rdb_take(rocksdb_pinnableslice_t *held, size_t len, char *buf);

// A write batch that is kept for the next record, or none while one has it.
// It is a number since cgo would look into a pointer in each call.
typedef struct {
  uintptr_t batch;
} rdb_spare;

// rdb_spare_new and rdb_spare_free exist because the batch is taken and put back
// in the crossing that writes it. Where memory is out it is NULL, which rdb_put,
// rdb_delete and rdb_spare_free can do without.
rdb_spare *rdb_spare_new(void);
void rdb_spare_free(rdb_spare *spare);

// rdb_put and rdb_delete exist to return the error by value (a Go out-parameter
// would escape to the heap), and to use a batch again: rocksdb_put makes one for
// each record. Any number of calls may be made at a time.
char *rdb_put(rocksdb_t *db, const rocksdb_writeoptions_t *wo, rdb_spare *spare,
              const char *key, size_t nkey, const char *value, size_t nvalue);
char *rdb_delete(rocksdb_t *db, const rocksdb_writeoptions_t *wo,
                 rdb_spare *spare, const char *key, size_t nkey);

// rdb_write exists to make a write batch of an encoded one (see store.Batch),
// commit and free it in one crossing.
char *rdb_write(rocksdb_t *db, const rocksdb_writeoptions_t *wo,
                const char *rep, size_t nrep);

// Values of a multi-get: sizes[i] is a length or -1; len bytes of values in
// the caller's buffer or in held until rdb_multi_take.
typedef struct rdb_multi rdb_multi;
typedef struct {
  char *err;
  rdb_multi *held;
  size_t len;
  int left;
} rdb_values;

// rdb_multi_get exists to look up n keys in one crossing. RocksDB's batched
// lookup reads one state of the store. The keys lie one after the other in keys,
// with their lengths in nkeys.
rdb_values rdb_multi_get(rocksdb_t *db, const rocksdb_readoptions_t *ro,
                         const char *keys, const size_t *nkeys, size_t n,
                         int64_t *sizes, char *buf, size_t cap,
                         int64_t *place);

// rdb_multi_take copies held values to buf and frees them; a NULL buf only
// frees.
void rdb_multi_take(rdb_multi *held, char *buf);

// An iterator with what must live as long: read options and bounds.
typedef struct rdb_iter rdb_iter;

enum {
  RDB_LOWER = 1,
  RDB_UPPER = 2,
  RDB_KEYS_ONLY = 4,
  RDB_FILL_CACHE = 8,
  RDB_VERIFY = 16,
  RDB_OWN = 32,
};

// rdb_iter_new exists to make read options, bounds and iterator in one
// crossing, with bounds in C memory: RocksDB refers to them as long as the
// iterator lives. ro are the read options of the store or of the snapshot,
// which outlive it and do unless the flags have RDB_OWN, as they must with
// bounds. It returns NULL when memory is out.
rdb_iter *rdb_iter_new(rocksdb_t *db, const rocksdb_readoptions_t *ro,
                       const rocksdb_snapshot_t *snapshot, int flags,
                       const char *lower, size_t nlower, const char *upper,
                       size_t nupper);
void rdb_iter_free(rdb_iter *x);

// The operations of internal/chunk, with the same numbers.
enum {
  RDB_FIRST,
  RDB_LAST,
  RDB_SEEK_GE,
  RDB_SEEK_GT,
  RDB_SEEK_LT,
  RDB_NEXT,
  RDB_PREV,
};

typedef struct {
  char *err;
  size_t used;
  size_t need;
  uint32_t count;
  uint32_t end;
  int left;
} rdb_chunk;

// rdb_iter_fill exists because an entry costs four crossings otherwise: it
// moves the iterator and fills buf with up to limit entries.
rdb_chunk rdb_iter_fill(rdb_iter *x, int op, const char *key, size_t nkey,
                        char *buf, size_t cap, uint32_t limit,
                        int64_t *place);

// rdb_snapshot_new and _free exist because grocksdb frees a snapshot wrongly;
// ro reads at the snapshot.
const rocksdb_snapshot_t *rdb_snapshot_new(rocksdb_t *db, int verify,
                                           rocksdb_readoptions_t **ro);
void rdb_snapshot_free(rocksdb_t *db, const rocksdb_snapshot_t *snapshot,
                       rocksdb_readoptions_t *ro);

// rdb_read_options and rdb_write_options exist to make a store's options once,
// so that no call has to. Writes return "Result incomplete: Write stall" where
// RocksDB would hold them back; stall.go tells why, and waits.
rocksdb_readoptions_t *rdb_read_options(int verify);
rocksdb_writeoptions_t *rdb_write_options(int sync);

// rdb_compact exists to keep an empty bound from becoming none, and to rewrite
// the bottommost level too: flags (RDB_LOWER, RDB_UPPER) say which bounds
// there are.
void rdb_compact(rocksdb_t *db, int flags, const char *start, size_t nstart,
                 const char *end, size_t nend);

// rdb_flush exists to make the options and wait in one crossing.
char *rdb_flush(rocksdb_t *db);

// rdb_flush_wal exists to return the error by value: with manual_wal_flush it
// follows each write that has to reach the system.
char *rdb_flush_wal(rocksdb_t *db, int sync);

// rdb_check exists because compactions report nothing: an empty write returns
// the background error that has stopped the store, if there is one.
char *rdb_check(rocksdb_t *db, const rocksdb_writeoptions_t *wo);

// rdb_sizes exists to measure n ranges in one crossing: their 2n bounds lie one
// after the other in keys, with their lengths in nkeys.
char *rdb_sizes(rocksdb_t *db, const char *keys, const size_t *nkeys, size_t n,
                uint64_t *sizes);

// A table file of the store.
typedef struct {
  uint64_t number;
  uint64_t bytes;
  int level;
} rdb_table;

// rdb_tables exists to list the table files in one crossing; the array of n is
// freed with free, NULL when memory is out.
rdb_table *rdb_tables(rocksdb_t *db, size_t *n);

// rdb_build exists to tell what scripts/build-deps.sh has written into its
// libraries: how they were compiled. It returns NULL with any other library.
const char *rdb_build(void);

// A log takes RocksDB's log lines.
typedef struct rdb_log rdb_log;

// A line has len bytes of text behind it; ns is the time since 1970.
typedef struct {
  int64_t ns;
  uint32_t level;  // 0 DEBUG, INFO, WARN, ERROR, FATAL
  uint32_t len;
} rdb_log_line;

// Lines are size bytes, one line after the other, without padding.
typedef struct {
  const char *lines;
  size_t size;
} rdb_log_lines;

// rdb_log_new exists because a logger of Go's would be called from within calls
// that must not enter Go. It keeps lines of the level and above, up to cap bytes,
// and writes a byte to fd, a pipe that doesn't block, when there are some. A line
// that has no room is dropped. It returns NULL when memory is out.
rdb_log *rdb_log_new(int level, size_t cap, int fd);

// rdb_log_attach exists because grocksdb can't make a logger. The log must live
// as long as the options and what was opened with them.
void rdb_log_attach(rdb_log *log, rocksdb_options_t *options);

// rdb_log_write exists for tests: it does what RocksDB does for each line.
void rdb_log_write(rdb_log *log, unsigned level, char *text, size_t len);

// rdb_log_take exists to take all lines there are at once. They are good until
// the next call. One thread at a time may take.
rdb_log_lines rdb_log_take(rdb_log *log);

// rdb_log_dropped exists to tell how many lines have found no room.
uint64_t rdb_log_dropped(rdb_log *log);

// rdb_log_free frees the log. RocksDB must have let go of it.
void rdb_log_free(rdb_log *log);

#endif
