#include <stdlib.h>
#include <string.h>

#include "capi.h"

struct ldb_iter {
  leveldb_iterator_t *it;
  leveldb_readoptions_t *own;  // NULL if it reads with the store's
  const char *lower, *upper;
  size_t nlower, nupper;
  int flags;
  int ahead;  // it stands on an entry that did not fit into the last chunk
  char bounds[];
};

// Makes read options for what the store's don't say.
static leveldb_readoptions_t *options(ldb_iter *x,
                                      const leveldb_snapshot_t *snapshot) {
  leveldb_readoptions_t *ro = leveldb_readoptions_create();
  leveldb_readoptions_set_verify_checksums(ro, (x->flags & LDB_VERIFY) != 0);
  leveldb_readoptions_set_fill_cache(ro, (x->flags & LDB_FILL_CACHE) != 0);
  leveldb_readoptions_set_snapshot(ro, snapshot);
  return ro;
}

ldb_iter *ldb_iter_new(leveldb_t *db, const leveldb_readoptions_t *ro,
                       const leveldb_snapshot_t *snapshot, int flags,
                       const char *lower, size_t nlower, const char *upper,
                       size_t nupper) {
  ldb_iter *x = malloc(sizeof *x + nlower + nupper);
  if (x == NULL) return NULL;
  x->flags = flags;
  x->ahead = 0;
  x->lower = x->bounds;
  x->nlower = nlower;
  x->upper = x->bounds + nlower;
  x->nupper = nupper;
  if (nlower > 0) memcpy(x->bounds, lower, nlower);
  if (nupper > 0) memcpy(x->bounds + nlower, upper, nupper);
  x->own = flags & LDB_OWN ? options(x, snapshot) : NULL;
  x->it = leveldb_create_iterator(db, x->own != NULL ? x->own : ro);
  return x;
}

void ldb_iter_free(ldb_iter *x) {
  leveldb_iter_destroy(x->it);
  if (x->own != NULL) leveldb_readoptions_destroy(x->own);
  free(x);
}

static int compare(const char *a, size_t na, const char *b, size_t nb) {
  int c = memcmp(a, b, na < nb ? na : nb);
  if (c != 0) return c;
  return na < nb ? -1 : na > nb;
}

// LevelDB has no seek for the entry before.
static void seek_lt(leveldb_iterator_t *it, const char *key, size_t nkey) {
  leveldb_iter_seek(it, key, nkey);
  if (leveldb_iter_valid(it)) {
    leveldb_iter_prev(it);
  } else {
    leveldb_iter_seek_to_last(it);
  }
}

// Moves to where a chunk begins. Forward walks begin at the lower bound or
// behind it, backward ones before the upper.
static void position(ldb_iter *x, int op, const char *key, size_t nkey) {
  leveldb_iterator_t *it = x->it;
  int lower = x->flags & LDB_LOWER, upper = x->flags & LDB_UPPER;
  int ahead = x->ahead;
  x->ahead = 0;
  if (key == NULL) key = "";
  switch (op) {
    case LDB_SEEK_GE:
      if (!lower || compare(key, nkey, x->lower, x->nlower) >= 0) {
        leveldb_iter_seek(it, key, nkey);
        break;
      }
      // fall through
    case LDB_FIRST:
      if (lower) {
        leveldb_iter_seek(it, x->lower, x->nlower);
      } else {
        leveldb_iter_seek_to_first(it);
      }
      break;
    case LDB_SEEK_LT:
      if (!upper || compare(key, nkey, x->upper, x->nupper) <= 0) {
        seek_lt(it, key, nkey);
        break;
      }
      // fall through
    case LDB_LAST:
      if (upper) {
        seek_lt(it, x->upper, x->nupper);
      } else {
        leveldb_iter_seek_to_last(it);
      }
      break;
    case LDB_SEEK_GT: {
      leveldb_iter_seek(it, key, nkey);
      if (!leveldb_iter_valid(it)) break;
      size_t n;
      const char *k = leveldb_iter_key(it, &n);
      if (compare(k, n, key, nkey) == 0) leveldb_iter_next(it);
      break;
    }
    case LDB_NEXT:
      if (!ahead) leveldb_iter_next(it);
      break;
    case LDB_PREV:
      if (!ahead) leveldb_iter_prev(it);
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

ldb_chunk ldb_iter_fill(ldb_iter *x, int op, const char *key, size_t nkey,
                        char *buf, size_t cap, uint32_t limit,
                        int64_t *place) {
  ldb_chunk r = {0};
  leveldb_iterator_t *it = x->it;
  int backward = op == LDB_LAST || op == LDB_SEEK_LT || op == LDB_PREV;
  int keys_only = x->flags & LDB_KEYS_ONLY;
  int bounded = x->flags & (backward ? LDB_LOWER : LDB_UPPER);
  position(x, op, key, nkey);
  for (;;) {
    if (!leveldb_iter_valid(it)) {
      r.end = 1;
      break;
    }
    size_t n, m = 0;
    const char *k = leveldb_iter_key(it, &n), *v = NULL;
    if (bounded && (backward ? compare(k, n, x->lower, x->nlower) < 0
                             : compare(k, n, x->upper, x->nupper) >= 0)) {
      r.end = 1;
      break;
    }
    if (!keys_only) v = leveldb_iter_value(it, &m);
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
      leveldb_iter_prev(it);
    } else {
      leveldb_iter_next(it);
    }
  }
  // A damaged block is skipped by LevelDB, with an error to be asked for. What
  // lies behind the hole must not look like the next entry, and which entries of
  // this chunk do is not known.
  leveldb_iter_get_error(it, &r.err);
  if (r.err != NULL) {
    r.used = r.count = 0;
    r.need = 0;
    r.end = 1;
  }
  r.left = ldb_leave(place);
  return r;
}
