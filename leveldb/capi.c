#include "capi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

// Keys of no length may come as NULL, which memcpy and LevelDB's slices need
// not accept.
static const char *bytes(const char *p) { return p != NULL ? p : ""; }

// The caller frees an error with leveldb_free, which is free.
static char *fail(const char *text) {
  size_t n = strlen(text) + 1;
  char *err = malloc(n);
  if (err != NULL) memcpy(err, text, n);
  return err;
}

// What is at a key, by way of an iterator, which keeps the error of a table that
// is gone.
static char *seek(leveldb_t *db, const leveldb_readoptions_t *ro,
                  const char *key, size_t nkey, size_t *len, char **err) {
  char *value = NULL;
  leveldb_iterator_t *it = leveldb_create_iterator(db, ro);
  leveldb_iter_seek(it, key, nkey);
  leveldb_iter_get_error(it, err);
  if (*err == NULL && leveldb_iter_valid(it)) {
    size_t n = 0, m = 0;
    const char *k = leveldb_iter_key(it, &n), *v = leveldb_iter_value(it, &m);
    if (n == nkey && memcmp(k, key, n) == 0) {
      value = malloc(m > 0 ? m : 1);
      if (value != NULL) {
        memcpy(value, v, m);
        *len = m;
      } else {
        *err = fail("IO error: out of memory");
      }
    }
  }
  leveldb_iter_destroy(it);
  return value;
}

// leveldb_get, but for one thing. A table file that can't be opened since it is
// gone is a status NotFound inside LevelDB (PosixError in util/env_posix.cc), and
// leveldb_get drops that as if the key were not there. The failed system call is
// known by errno, which nothing else sets on the way: a miss costs no more than
// looking at it.
static char *lookup(leveldb_t *db, const leveldb_readoptions_t *ro,
                    const char *key, size_t nkey, size_t *len, char **err) {
  errno = 0;
  char *value = leveldb_get(db, ro, key, nkey, len, err);
  if (value != NULL || *err != NULL || errno == 0) return value;
  return seek(db, ro, key, nkey, len, err);
}

ldb_value ldb_get(leveldb_t *db, const leveldb_readoptions_t *ro,
                  const char *key, size_t nkey, char *buf, size_t cap,
                  int64_t *place) {
  ldb_value r = {0};
  char *value = lookup(db, ro, bytes(key), nkey, &r.len, &r.err);
  if (value != NULL) {
    r.found = 1;
    if (r.len > cap) {
      r.held = value;
    } else {
      if (r.len > 0) memcpy(buf, value, r.len);
      leveldb_free(value);
    }
  }
  r.left = ldb_leave(place);
  return r;
}

void ldb_take(char *held, size_t len, char *buf) {
  if (buf != NULL && len > 0) memcpy(buf, held, len);
  leveldb_free(held);
}

// Commits what is in a batch and empties it.
static char *commit(leveldb_t *db, const leveldb_writeoptions_t *wo,
                    leveldb_writebatch_t *batch) {
  char *err = NULL;
  leveldb_write(db, wo, batch, &err);
  leveldb_writebatch_clear(batch);
  return err;
}

char *ldb_put(leveldb_t *db, const leveldb_writeoptions_t *wo,
              leveldb_writebatch_t *batch, const char *key, size_t nkey,
              const char *value, size_t nvalue) {
  leveldb_writebatch_put(batch, bytes(key), nkey, bytes(value), nvalue);
  return commit(db, wo, batch);
}

char *ldb_delete(leveldb_t *db, const leveldb_writeoptions_t *wo,
                 leveldb_writebatch_t *batch, const char *key, size_t nkey) {
  leveldb_writebatch_delete(batch, bytes(key), nkey);
  return commit(db, wo, batch);
}

// Reads a varint of at most 32 bits at p; NULL if it does not end before end.
static const char *varint(const char *p, const char *end, uint32_t *v) {
  uint32_t x = 0;
  for (int shift = 0; shift <= 28 && p < end; shift += 7) {
    unsigned char c = (unsigned char)*p++;
    x |= (uint32_t)(c & 0x7f) << shift;
    if (c < 0x80) {
      *v = x;
      return p;
    }
  }
  return NULL;
}

// Reads a string with its length before it at *p and moves *p behind it.
static const char *string(const char **p, const char *end, uint32_t *n) {
  const char *s = varint(*p, end, n);
  if (s == NULL || *n > (size_t)(end - s)) return NULL;
  *p = s + *n;
  return s;
}

enum { HEADER = 12, TAG_DELETE = 0, TAG_PUT = 1 };

char *ldb_write(leveldb_t *db, const leveldb_writeoptions_t *wo,
                leveldb_writebatch_t *batch, const char *rep, size_t nrep) {
  if (nrep < HEADER) return fail("Corruption: batch shorter than its header");
  const char *p = rep + HEADER, *end = rep + nrep;
  int valid = 1;
  while (p < end && valid) {
    char tag = *p++;
    uint32_t nkey = 0, nvalue = 0;
    const char *key = string(&p, end, &nkey), *value = NULL;
    valid = key != NULL;
    if (valid && tag == TAG_PUT) {
      value = string(&p, end, &nvalue);
      valid = value != NULL;
      if (valid) leveldb_writebatch_put(batch, key, nkey, value, nvalue);
    } else if (valid && tag == TAG_DELETE) {
      leveldb_writebatch_delete(batch, key, nkey);
    } else {
      valid = 0;
    }
  }
  if (valid) return commit(db, wo, batch);
  leveldb_writebatch_clear(batch);
  return fail("Corruption: malformed batch");
}

struct ldb_multi {
  size_t n;
  char **values;  // malloc'd by LevelDB; NULL is not found
  size_t *lens;
};

static ldb_multi *multi_new(size_t n) {
  ldb_multi *m = calloc(1, sizeof *m + n * (sizeof(char *) + sizeof(size_t)));
  if (m == NULL) return NULL;
  m->n = n;
  m->values = (char **)(m + 1);
  m->lens = (size_t *)(m->values + n);
  return m;
}

void ldb_multi_take(ldb_multi *m, char *buf) {
  for (size_t i = 0; i < m->n; i++) {
    if (m->values[i] == NULL) continue;
    if (buf != NULL && m->lens[i] > 0) {
      memcpy(buf, m->values[i], m->lens[i]);
      buf += m->lens[i];
    }
    leveldb_free(m->values[i]);
  }
  free(m);
}

ldb_values ldb_multi_get(leveldb_t *db, const leveldb_readoptions_t *ro,
                         int own_snapshot, int verify, const char *keys,
                         const size_t *nkeys, size_t n, int64_t *sizes,
                         char *buf, size_t cap, int64_t *place) {
  ldb_values r = {0};
  ldb_multi *m = multi_new(n);
  if (m == NULL) {
    r.err = fail("IO error: out of memory");
    r.left = ldb_leave(place);
    return r;
  }
  leveldb_readoptions_t *own = NULL;
  const leveldb_snapshot_t *snapshot = NULL;
  if (own_snapshot) {
    snapshot = ldb_snapshot_new(db, verify, &own);
    ro = own;
  }
  const char *key = bytes(keys);
  for (size_t i = 0; i < n && r.err == NULL; i++) {
    m->values[i] = lookup(db, ro, key, nkeys[i], &m->lens[i], &r.err);
    key += nkeys[i];
    sizes[i] = m->values[i] != NULL ? (int64_t)m->lens[i] : -1;
    if (m->values[i] != NULL) r.len += m->lens[i];
  }
  if (own_snapshot) ldb_snapshot_free(db, snapshot, own);
  if (r.err != NULL) {
    ldb_multi_take(m, NULL);
  } else if (r.len <= cap) {
    ldb_multi_take(m, buf);
  } else {
    r.held = m;
  }
  r.left = ldb_leave(place);
  return r;
}

const leveldb_snapshot_t *ldb_snapshot_new(leveldb_t *db, int verify,
                                           leveldb_readoptions_t **ro) {
  const leveldb_snapshot_t *snapshot = leveldb_create_snapshot(db);
  *ro = ldb_read_options(verify);
  leveldb_readoptions_set_snapshot(*ro, snapshot);
  return snapshot;
}

void ldb_snapshot_free(leveldb_t *db, const leveldb_snapshot_t *snapshot,
                       leveldb_readoptions_t *ro) {
  leveldb_readoptions_destroy(ro);
  leveldb_release_snapshot(db, snapshot);
}

leveldb_readoptions_t *ldb_read_options(int verify) {
  leveldb_readoptions_t *ro = leveldb_readoptions_create();
  leveldb_readoptions_set_verify_checksums(ro, (uint8_t)verify);
  return ro;
}

leveldb_writeoptions_t *ldb_write_options(int sync) {
  leveldb_writeoptions_t *wo = leveldb_writeoptions_create();
  leveldb_writeoptions_set_sync(wo, (uint8_t)sync);
  return wo;
}

void ldb_compact(leveldb_t *db, int flags, const char *start, size_t nstart,
                 const char *end, size_t nend) {
  leveldb_compact_range(db, flags & LDB_LOWER ? bytes(start) : NULL, nstart,
                        flags & LDB_UPPER ? bytes(end) : NULL, nend);
}

void ldb_flush(leveldb_t *db) {
  // From behind all keys but the strangest to the smallest key.
  char start[64];
  memset(start, 0xff, sizeof start);
  leveldb_compact_range(db, start, sizeof start, "", 0);
}

int ldb_level0(leveldb_t *db) {
  char *files = leveldb_property_value(db, "leveldb.num-files-at-level0");
  if (files == NULL) return 0;
  int n = atoi(files);
  leveldb_free(files);
  return n;
}

char *ldb_check(leveldb_t *db, const leveldb_writeoptions_t *wo) {
  char *err = NULL;
  leveldb_writebatch_t *batch = leveldb_writebatch_create();
  leveldb_write(db, wo, batch, &err);
  leveldb_writebatch_destroy(batch);
  return err;
}

void ldb_sizes(leveldb_t *db, const char *keys, const size_t *nkeys, size_t n,
               uint64_t *sizes) {
  const char *start = bytes(keys);
  for (size_t i = 0; i < n; i++) {
    const char *end = start + nkeys[2 * i];
    leveldb_approximate_sizes(db, 1, &start, &nkeys[2 * i], &end,
                              &nkeys[2 * i + 1], &sizes[i]);
    start = end + nkeys[2 * i + 1];
  }
}

extern const char lsmkit_leveldb_build[] __attribute__((weak));

const char *ldb_build(void) { return lsmkit_leveldb_build; }
