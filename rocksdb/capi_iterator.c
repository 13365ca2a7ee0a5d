#include <stdlib.h>
#include <string.h>

#include "capi.h"

struct rdb_iter {
  rocksdb_iterator_t *it;
  rocksdb_readoptions_t *own;  // NULL if it reads with the store's
  int flags;
  int ahead;  // it stands on an entry that did not fit into the last chunk
  char bounds[];
};

// Makes read options for what the store's don't say.
static rocksdb_readoptions_t *options(rdb_iter *x,
                                      const rocksdb_snapshot_t *snapshot) {
  rocksdb_readoptions_t *ro = rocksdb_readoptions_create();
  rocksdb_readoptions_set_verify_checksums(ro, (x->flags & RDB_VERIFY) != 0);
  rocksdb_readoptions_set_fill_cache(ro, (x->flags & RDB_FILL_CACHE) != 0);
  rocksdb_readoptions_set_snapshot(ro, snapshot);
  return ro;
}

rdb_iter *rdb_iter_new(rocksdb_t *db, const rocksdb_readoptions_t *ro,
                       const rocksdb_snapshot_t *snapshot, int flags,
                       const char *lower, size_t nlower, const char *upper,
                       size_t nupper) {
  rdb_iter *x = malloc(sizeof *x + nlower + nupper);
  if (x == NULL) return NULL;
  x->flags = flags;
  x->ahead = 0;
  char *lower_copy = x->bounds, *upper_copy = x->bounds + nlower;
  if (nlower > 0) memcpy(lower_copy, lower, nlower);
  if (nupper > 0) memcpy(upper_copy, upper, nupper);
  x->own = flags & RDB_OWN ? options(x, snapshot) : NULL;
  if (flags & RDB_LOWER) {
    rocksdb_readoptions_set_iterate_lower_bound(x->own, lower_copy, nlower);
  }
  if (flags & RDB_UPPER) {
    rocksdb_readoptions_set_iterate_upper_bound(x->own, upper_copy, nupper);
  }
  x->it = rocksdb_create_iterator(db, x->own != NULL ? x->own : ro);
  return x;
}

void rdb_iter_free(rdb_iter *x) {
  rocksdb_iter_destroy(x->it);
  if (x->own != NULL) rocksdb_readoptions_destroy(x->own);
  free(x);
}

static int at(rocksdb_iterator_t *it, const char *key, size_t nkey) {
  size_t n;
  if (!rocksdb_iter_valid(it)) return 0;
  const char *k = rocksdb_iter_key(it, &n);
  return n == nkey && memcmp(k, key, n) == 0;
}

// Moves to where a chunk begins. RocksDB itself keeps within the bounds.
static void position(rdb_iter *x, int op, const char *key, size_t nkey) {
  rocksdb_iterator_t *it = x->it;
  int ahead = x->ahead;
  x->ahead = 0;
  if (key == NULL) key = "";
  switch (op) {
    case RDB_FIRST:
      rocksdb_iter_seek_to_first(it);
      break;
    case RDB_LAST:
      rocksdb_iter_seek_to_last(it);
      break;
    case RDB_SEEK_GE:
      rocksdb_iter_seek(it, key, nkey);
      break;
    case RDB_SEEK_GT:
      rocksdb_iter_seek(it, key, nkey);
      if (at(it, key, nkey)) rocksdb_iter_next(it);
      break;
    case RDB_SEEK_LT:
      rocksdb_iter_seek_for_prev(it, key, nkey);
      if (at(it, key, nkey)) rocksdb_iter_prev(it);
      break;
    case RDB_NEXT:
      if (!ahead) rocksdb_iter_next(it);
      break;
    case RDB_PREV:
      if (!ahead) rocksdb_iter_prev(it);
      break;
  }
}

// Copies n bytes and returns where they end. Keys and values are short as a
// rule, and calling memcpy for them costs more than the copy does.
static char *append(char *dst, const char *src, size_t n) {
  if (n < 16 || n > 256) {
    if (n > 0) memcpy(dst, src, n);
    return dst + n;
  }
  for (size_t i = 0; i < n - 16; i += 16) memcpy(dst + i, src + i, 16);
  memcpy(dst + n - 16, src + n - 16, 16);
  return dst + n;
}

rdb_chunk rdb_iter_fill(rdb_iter *x, int op, const char *key, size_t nkey,
                        char *buf, size_t cap, uint32_t limit,
                        int64_t *place) {
  rdb_chunk r = {0};
  rocksdb_iterator_t *it = x->it;
  int backward = op == RDB_LAST || op == RDB_SEEK_LT || op == RDB_PREV;
  int keys_only = x->flags & RDB_KEYS_ONLY;
  rdb_quiet();
  position(x, op, key, nkey);
  for (;;) {
    if (!rocksdb_iter_valid(it)) {
      // RocksDB stops at the first damage: what was read before it is right.
      r.end = 1;
      rocksdb_iter_get_error(it, &r.err);
      break;
    }
    size_t n, m = 0;
    const char *k = rocksdb_iter_key(it, &n), *v = NULL;
    if (!keys_only) v = rocksdb_iter_value(it, &m);
    size_t need = 2 * sizeof(uint32_t) + n + m;
    if (need > cap - r.used) {
      // It may be the first of the next chunk; need is for a larger buffer.
      x->ahead = 1;
      r.need = need;
      break;
    }
    uint32_t lens[2] = {(uint32_t)n, (uint32_t)m};
    char *p = buf + r.used;
    memcpy(p, lens, sizeof lens);
    append(append(p + sizeof lens, k, n), v, m);
    r.used += need;
    // The step to the next entry is left to the next fill: it may read a block
    // that nobody asks for.
    if (++r.count == limit) break;
    if (backward) {
      rocksdb_iter_prev(it);
    } else {
      rocksdb_iter_next(it);
    }
  }
  r.left = rdb_leave(place);
  return r;
}
