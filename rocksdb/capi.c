#include "capi.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Keys of no length may come as NULL, which memcpy and RocksDB's slices need
// not accept.
static const char *bytes(const char *p) { return p != NULL ? p : ""; }

// The caller frees an error with rocksdb_free, which is free.
static char *fail(const char *text) {
  size_t n = strlen(text) + 1;
  char *err = malloc(n);
  if (err != NULL) memcpy(err, text, n);
  return err;
}

__thread int rdb_counting;

int rdb_count(int level) {
  int on = level != rocksdb_disable;
  if (on && rdb_counting) return 0;
  rdb_counting = on;
  rocksdb_set_perf_level(level);
  return 1;
}

rdb_value rdb_get(rocksdb_t *db, const rocksdb_readoptions_t *ro,
                  const char *key, size_t nkey, char *buf, size_t cap,
                  int64_t *place) {
  rdb_value r = {0};
  rdb_quiet();
  rocksdb_pinnableslice_t *p =
      rocksdb_get_pinned(db, ro, bytes(key), nkey, &r.err);
  if (p != NULL) {
    r.found = 1;
    const char *value = rocksdb_pinnableslice_value(p, &r.len);
    if (r.len > cap) {
      r.held = p;
      return r;
    }
    if (r.len > 0) memcpy(buf, value, r.len);
    rocksdb_pinnableslice_destroy(p);
  }
  r.left = rdb_leave(place);
  return r;
}

rdb_value rdb_has(rocksdb_t *db, const rocksdb_readoptions_t *ro,
                  const char *key, size_t nkey, int64_t *place) {
  rdb_value r = {0};
  rdb_quiet();
  rocksdb_pinnableslice_t *p =
      rocksdb_get_pinned(db, ro, bytes(key), nkey, &r.err);
  if (p != NULL) {
    r.found = 1;
    rocksdb_pinnableslice_destroy(p);
  }
  r.left = rdb_leave(place);
  return r;
}

void rdb_take(rocksdb_pinnableslice_t *held, size_t len, char *buf) {
  size_t n;
  const char *value = rocksdb_pinnableslice_value(held, &n);
  if (n > len) n = len;
  if (buf != NULL && n > 0) memcpy(buf, value, n);
  rocksdb_pinnableslice_destroy(held);
}

// Puts a batch, which may be NULL, into the place of what was kept.
static rocksdb_writebatch_t *swap(rdb_spare *spare,
                                  rocksdb_writebatch_t *batch) {
  return (rocksdb_writebatch_t *)__atomic_exchange_n(
      &spare->batch, (uintptr_t)batch, __ATOMIC_ACQ_REL);
}

rdb_spare *rdb_spare_new(void) { return calloc(1, sizeof(rdb_spare)); }

void rdb_spare_free(rdb_spare *spare) {
  if (spare == NULL) return;
  rocksdb_writebatch_t *batch = swap(spare, NULL);
  if (batch != NULL) rocksdb_writebatch_destroy(batch);
  free(spare);
}

// Returns an empty batch, for commit.
static rocksdb_writebatch_t *take(rdb_spare *spare) {
  rocksdb_writebatch_t *batch = NULL;
  if (spare != NULL) batch = swap(spare, NULL);
  return batch != NULL ? batch : rocksdb_writebatch_create();
}

enum { KEPT = 64 << 10 };  // bytes up to which a batch is kept

// Commits a batch of n bytes, empties it and keeps it, if there is none already.
static char *commit(rocksdb_t *db, const rocksdb_writeoptions_t *wo,
                    rdb_spare *spare, rocksdb_writebatch_t *batch, size_t n) {
  char *err = NULL;
  rdb_quiet();
  rocksdb_write(db, wo, batch, &err);
  if (spare != NULL && n <= KEPT) {
    rocksdb_writebatch_clear(batch);
    batch = swap(spare, batch);
  }
  if (batch != NULL) rocksdb_writebatch_destroy(batch);
  return err;
}

char *rdb_put(rocksdb_t *db, const rocksdb_writeoptions_t *wo, rdb_spare *spare,
              const char *key, size_t nkey, const char *value, size_t nvalue) {
  rocksdb_writebatch_t *batch = take(spare);
  rocksdb_writebatch_put(batch, bytes(key), nkey, bytes(value), nvalue);
  return commit(db, wo, spare, batch, nkey + nvalue);
}

char *rdb_delete(rocksdb_t *db, const rocksdb_writeoptions_t *wo,
                 rdb_spare *spare, const char *key, size_t nkey) {
  rocksdb_writebatch_t *batch = take(spare);
  rocksdb_writebatch_delete(batch, bytes(key), nkey);
  return commit(db, wo, spare, batch, nkey);
}

enum { HEADER = 12 };

char *rdb_write(rocksdb_t *db, const rocksdb_writeoptions_t *wo,
                const char *rep, size_t nrep) {
  if (nrep < HEADER) return fail("Corruption: batch shorter than its header");
  char *err = NULL;
  rdb_quiet();
  rocksdb_writebatch_t *batch = rocksdb_writebatch_create_from(rep, nrep);
  rocksdb_write(db, wo, batch, &err);
  rocksdb_writebatch_destroy(batch);
  return err;
}

struct rdb_multi {
  size_t n;
  rocksdb_pinnableslice_t **values;  // NULL is not found
  char **errs;
  const char **keys;
};

static rdb_multi *multi_new(size_t n) {
  rdb_multi *m = calloc(1, sizeof *m + n * 3 * sizeof(char *));
  if (m == NULL) return NULL;
  m->n = n;
  m->values = (rocksdb_pinnableslice_t **)(m + 1);
  m->errs = (char **)(m->values + n);
  m->keys = (const char **)(m->errs + n);
  return m;
}

void rdb_multi_take(rdb_multi *m, char *buf) {
  for (size_t i = 0; i < m->n; i++) {
    if (m->values[i] == NULL) continue;
    if (buf != NULL) {
      size_t n;
      const char *value = rocksdb_pinnableslice_value(m->values[i], &n);
      if (n > 0) memcpy(buf, value, n);
      buf += n;
    }
    rocksdb_pinnableslice_destroy(m->values[i]);
  }
  free(m);
}

rdb_values rdb_multi_get(rocksdb_t *db, const rocksdb_readoptions_t *ro,
                         const char *keys, const size_t *nkeys, size_t n,
                         int64_t *sizes, char *buf, size_t cap,
                         int64_t *place) {
  rdb_values r = {0};
  rdb_multi *m = multi_new(n);
  if (m == NULL) {
    r.err = fail("IO error: out of memory");
    r.left = rdb_leave(place);
    return r;
  }
  const char *key = bytes(keys);
  for (size_t i = 0; i < n; i++) {
    m->keys[i] = key;
    key += nkeys[i];
  }
  // The handle is a wrapper of ours to free; the family stays.
  rocksdb_column_family_handle_t *family =
      rocksdb_get_default_column_family_handle(db);
  rdb_quiet();
  rocksdb_batched_multi_get_cf(db, ro, family, n, m->keys, nkeys, m->values,
                               m->errs, false);
  rocksdb_column_family_handle_destroy(family);
  for (size_t i = 0; i < n; i++) {
    sizes[i] = -1;
    if (m->errs[i] != NULL) {
      // The first error is reported.
      if (r.err == NULL) {
        r.err = m->errs[i];
      } else {
        rocksdb_free(m->errs[i]);
      }
    } else if (m->values[i] != NULL) {
      size_t len;
      rocksdb_pinnableslice_value(m->values[i], &len);
      sizes[i] = (int64_t)len;
      r.len += len;
    }
  }
  if (r.err != NULL) {
    rdb_multi_take(m, NULL);
  } else if (r.len <= cap) {
    rdb_multi_take(m, buf);
  } else {
    r.held = m;
    return r;
  }
  r.left = rdb_leave(place);
  return r;
}

const rocksdb_snapshot_t *rdb_snapshot_new(rocksdb_t *db, int verify,
                                           rocksdb_readoptions_t **ro) {
  const rocksdb_snapshot_t *snapshot = rocksdb_create_snapshot(db);
  *ro = rdb_read_options(verify);
  rocksdb_readoptions_set_snapshot(*ro, snapshot);
  return snapshot;
}

void rdb_snapshot_free(rocksdb_t *db, const rocksdb_snapshot_t *snapshot,
                       rocksdb_readoptions_t *ro) {
  rocksdb_readoptions_destroy(ro);
  rocksdb_release_snapshot(db, snapshot);
}

rocksdb_readoptions_t *rdb_read_options(int verify) {
  rocksdb_readoptions_t *ro = rocksdb_readoptions_create();
  rocksdb_readoptions_set_verify_checksums(ro, (unsigned char)verify);
  return ro;
}

rocksdb_writeoptions_t *rdb_write_options(int sync) {
  rocksdb_writeoptions_t *wo = rocksdb_writeoptions_create();
  rocksdb_writeoptions_set_sync(wo, (unsigned char)sync);
  rocksdb_writeoptions_set_no_slowdown(wo, 1);
  return wo;
}

enum { FORCE_OPTIMIZED = 3 };  // BottommostLevelCompaction::kForceOptimized

void rdb_compact(rocksdb_t *db, int flags, const char *start, size_t nstart,
                 const char *end, size_t nend) {
  rocksdb_compactoptions_t *o = rocksdb_compactoptions_create();
  rocksdb_compactoptions_set_bottommost_level_compaction(o, FORCE_OPTIMIZED);
  rocksdb_compact_range_opt(db, o, flags & RDB_LOWER ? bytes(start) : NULL,
                            nstart, flags & RDB_UPPER ? bytes(end) : NULL,
                            nend);
  rocksdb_compactoptions_destroy(o);
}

char *rdb_flush(rocksdb_t *db) {
  char *err = NULL;
  rocksdb_flushoptions_t *o = rocksdb_flushoptions_create();
  rocksdb_flushoptions_set_wait(o, 1);
  rocksdb_flush(db, o, &err);
  rocksdb_flushoptions_destroy(o);
  return err;
}

char *rdb_flush_wal(rocksdb_t *db, int sync) {
  char *err = NULL;
  rocksdb_flush_wal(db, (unsigned char)sync, &err);
  return err;
}

char *rdb_check(rocksdb_t *db, const rocksdb_writeoptions_t *wo) {
  char *err = NULL;
  rocksdb_writebatch_t *batch = rocksdb_writebatch_create();
  rocksdb_write(db, wo, batch, &err);
  rocksdb_writebatch_destroy(batch);
  return err;
}

char *rdb_sizes(rocksdb_t *db, const char *keys, const size_t *nkeys, size_t n,
                uint64_t *sizes) {
  const char *start = bytes(keys);
  char *err = NULL;
  for (size_t i = 0; i < n && err == NULL; i++) {
    const char *end = start + nkeys[2 * i];
    rocksdb_approximate_sizes(db, 1, &start, &nkeys[2 * i], &end,
                              &nkeys[2 * i + 1], &sizes[i], &err);
    start = end + nkeys[2 * i + 1];
  }
  return err;
}

rdb_table *rdb_tables(rocksdb_t *db, size_t *n) {
  const rocksdb_livefiles_t *files = rocksdb_livefiles(db);
  int count = rocksdb_livefiles_count(files);
  rdb_table *tables = malloc((size_t)(count > 0 ? count : 1) * sizeof *tables);
  for (int i = 0; tables != NULL && i < count; i++) {
    const char *name = rocksdb_livefiles_name(files, i);  // "/000012.sst"
    if (*name == '/') name++;
    tables[i].number = strtoull(name, NULL, 10);
    tables[i].bytes = rocksdb_livefiles_size(files, i);
    tables[i].level = rocksdb_livefiles_level(files, i);
  }
  *n = (size_t)count;
  rocksdb_livefiles_destroy(files);
  return tables;
}

extern const char lsmkit_rocksdb_build[] __attribute__((weak));

const char *rdb_build(void) { return lsmkit_rocksdb_build; }
