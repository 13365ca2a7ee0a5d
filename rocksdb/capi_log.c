#include "capi.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Two buffers: RocksDB's threads fill one, Go reads the other, and rdb_log_take
// swaps them. RocksDB never waits for Go, only for the lock, which is held for as
// long as it takes to copy a line.
struct rdb_log {
  pthread_mutex_t lock;
  char *filling, *reading;
  size_t used, cap;
  uint64_t dropped;
  int level;
  int fd;
};

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// line is RocksDB's callback. It comes from any of its threads, and from those of
// callers.
static void line(void *priv, unsigned level, char *text, size_t len) {
  rdb_log *log = priv;
  // RocksDB writes its headers whatever the level, and as INFO.
  if ((int)level < log->level) return;
  while (len > 0 && text[len - 1] == '\n') len--;
  if (len == 0) return;
  if (len > log->cap / 4) len = log->cap / 4;
  rdb_log_line head = {now(), (uint32_t)level, (uint32_t)len};
  int wake = 0;
  pthread_mutex_lock(&log->lock);
  if (sizeof head + len <= log->cap - log->used) {
    wake = log->used == 0;
    memcpy(log->filling + log->used, &head, sizeof head);
    memcpy(log->filling + log->used + sizeof head, text, len);
    log->used += sizeof head + len;
  } else {
    log->dropped++;
  }
  pthread_mutex_unlock(&log->lock);
  if (wake) {
    int kept = errno;
    // A full pipe wakes the reader as well.
    ssize_t ignored = write(log->fd, "", 1);
    (void)ignored;
    errno = kept;
  }
}

rdb_log *rdb_log_new(int level, size_t cap, int fd) {
  rdb_log *log = calloc(1, sizeof *log);
  if (log == NULL) return NULL;
  log->filling = malloc(cap);
  log->reading = malloc(cap);
  if (log->filling == NULL || log->reading == NULL) {
    rdb_log_free(log);
    return NULL;
  }
  log->cap = cap;
  log->level = level;
  log->fd = fd;
  pthread_mutex_init(&log->lock, NULL);
  return log;
}

void rdb_log_attach(rdb_log *log, rocksdb_options_t *options) {
  rocksdb_logger_t *logger =
      rocksdb_logger_create_callback_logger(log->level, line, log);
  rocksdb_options_set_info_log(options, logger);
  rocksdb_logger_destroy(logger);  // the options hold it from here on
}

void rdb_log_write(rdb_log *log, unsigned level, char *text, size_t len) {
  line(log, level, text, len);
}

rdb_log_lines rdb_log_take(rdb_log *log) {
  pthread_mutex_lock(&log->lock);
  char *p = log->filling;
  log->filling = log->reading;
  log->reading = p;
  rdb_log_lines lines = {p, log->used};
  log->used = 0;
  pthread_mutex_unlock(&log->lock);
  return lines;
}

uint64_t rdb_log_dropped(rdb_log *log) {
  pthread_mutex_lock(&log->lock);
  uint64_t n = log->dropped;
  pthread_mutex_unlock(&log->lock);
  return n;
}

void rdb_log_free(rdb_log *log) {
  if (log->cap > 0) pthread_mutex_destroy(&log->lock);
  free(log->filling);
  free(log->reading);
  free(log);
}
