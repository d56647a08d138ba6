// Sets of 1 KB in RocksDB, with its write-ahead log and without syncs: the other side of
// compare_rocksdb.py. Prints sets per second of new keys in an empty
// database.
//
//     cc -O2 -o rocksdb_sets rocksdb_sets.c -lrocksdb && ./rocksdb_sets FOLDER COUNT

#include <rocksdb/c.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { VALUES = 64, BYTES = 1000 };

static char values[VALUES][BYTES];

static double seconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

// The values that CacheBenchmarks stores.
static void makeValues(void) {
  for (int number = 0; number < VALUES; number++) {
    uint64_t state = (uint64_t)number | 1;
    for (int place = 0; place < BYTES; place++) {
      state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      values[number][place] = (char)(state >> 56);
    }
  }
}

static void check(const char *error) {
  if (!error) return;
  fprintf(stderr, "rocksdb_sets: %s\n", error);
  exit(1);
}

int main(int count, char **words) {
  int sets = count == 3 ? atoi(words[2]) : 0;
  if (sets < 1) {
    fprintf(stderr, "rocksdb_sets FOLDER COUNT\n");
    return 2;
  }
  makeValues();
  char *error = NULL;
  rocksdb_options_t *options = rocksdb_options_create();
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_error_if_exists(options, 1);
  rocksdb_t *database = rocksdb_open(options, words[1], &error);
  check(error);
  rocksdb_writeoptions_t *writing = rocksdb_writeoptions_create();
  rocksdb_writeoptions_set_sync(writing, 0);
  char key[32];
  double start = seconds();
  for (int number = 0; number < sets; number++) {
    int length = snprintf(key, sizeof key, "key %d", number);
    rocksdb_put(database, writing, key, (size_t)length, values[number % VALUES], BYTES, &error);
    check(error);
  }
  printf("%.0f\n", sets / (seconds() - start));
  rocksdb_writeoptions_destroy(writing);
  rocksdb_close(database);
  rocksdb_options_destroy(options);
  return 0;
}
