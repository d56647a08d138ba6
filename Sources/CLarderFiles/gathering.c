#include "CLarderFiles.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

enum { gatheredMax = 64 << 10 };

struct larder_gathering {
  // A copy of the one below: functions for paths, time and the like are its own.
  sqlite3_vfs layer;
  sqlite3_vfs *below;
  char name[64];
};

// A database, or its journal. The file of the layer below follows it in memory.
typedef struct GatheringFile {
  sqlite3_file base;
  sqlite3_file *below;
  // The journal of a database, the database of a journal; null while the journal is closed.
  struct GatheringFile *other;
  int isJournal;
  // Bytes not written yet, their number, and their offset in the file.
  unsigned char *bytes;
  int count;
  sqlite3_int64 offset;
} GatheringFile;

static sqlite3_file *below(sqlite3_file *file) { return ((GatheringFile *)file)->below; }

// Writes the buffer. Bytes that cannot be written stay and are written before anything else.
static int flush(GatheringFile *file) {
  if (!file || !file->count) return SQLITE_OK;
  int code =
      file->below->pMethods->xWrite(file->below, file->bytes, file->count, file->offset);
  if (code == SQLITE_OK) file->count = 0;
  return code;
}

// Writes the buffers of a database and of its journal, the journal first.
static int flushBoth(GatheringFile *file) {
  GatheringFile *journal = file->isJournal ? file : file->other;
  GatheringFile *database = file->isJournal ? file->other : file;
  int code = flush(journal);
  return code == SQLITE_OK ? flush(database) : code;
}

static int gather(
    GatheringFile *file, const void *bytes, int count, sqlite3_int64 offset) {
  if (file->count && (offset != file->offset + file->count || file->count + count > gatheredMax)) {
    int code = flush(file);
    if (code != SQLITE_OK) return code;
  }
  if (!file->bytes) file->bytes = sqlite3_malloc(gatheredMax);
  if (!file->bytes || count > gatheredMax) {
    return file->below->pMethods->xWrite(file->below, bytes, count, offset);
  }
  if (!file->count) file->offset = offset;
  memcpy(file->bytes + file->count, bytes, (size_t)count);
  file->count += count;
  return SQLITE_OK;
}

static int writeFile(sqlite3_file *given, const void *bytes, int count, sqlite3_int64 offset) {
  GatheringFile *file = (GatheringFile *)given;
  // A write of the journal's header begins or ends a transaction.
  if (!file->other || (file->isJournal && offset == 0)) {
    int code = flushBoth(file);
    if (code != SQLITE_OK) return code;
    return file->below->pMethods->xWrite(file->below, bytes, count, offset);
  }
  if (!file->isJournal) {
    int code = flush(file->other);
    if (code != SQLITE_OK) return code;
  }
  return gather(file, bytes, count, offset);
}

static int closeFile(sqlite3_file *given) {
  GatheringFile *file = (GatheringFile *)given;
  // Bytes that cannot be written now are lost. The database is never ahead of the journal: before a
  // page is buffered, its old contents have been written to the journal.
  flushBoth(file);
  if (file->other) file->other->other = 0;
  sqlite3_free(file->bytes);
  return file->below->pMethods->xClose(file->below);
}

static int readFile(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  int code = flushBoth((GatheringFile *)file);
  return code ? code : below(file)->pMethods->xRead(below(file), bytes, count, offset);
}

static int truncateFile(sqlite3_file *file, sqlite3_int64 size) {
  int code = flushBoth((GatheringFile *)file);
  return code ? code : below(file)->pMethods->xTruncate(below(file), size);
}

static int syncFile(sqlite3_file *file, int flags) {
  int code = flushBoth((GatheringFile *)file);
  return code ? code : below(file)->pMethods->xSync(below(file), flags);
}

static int sizeOfFile(sqlite3_file *file, sqlite3_int64 *size) {
  int code = flushBoth((GatheringFile *)file);
  return code ? code : below(file)->pMethods->xFileSize(below(file), size);
}

static int lockFile(sqlite3_file *file, int level) {
  return below(file)->pMethods->xLock(below(file), level);
}

static int unlockFile(sqlite3_file *file, int level) {
  int code = flushBoth((GatheringFile *)file);
  int unlocked = below(file)->pMethods->xUnlock(below(file), level);
  return code ? code : unlocked;
}

static int checkReserved(sqlite3_file *file, int *answer) {
  return below(file)->pMethods->xCheckReservedLock(below(file), answer);
}

static int controlFile(sqlite3_file *file, int operation, void *argument) {
  return below(file)->pMethods->xFileControl(below(file), operation, argument);
}

static int sectorSize(sqlite3_file *file) {
  return below(file)->pMethods->xSectorSize ? below(file)->pMethods->xSectorSize(below(file))
                                            : 4096;
}

static int deviceTraits(sqlite3_file *file) {
  return below(file)->pMethods->xDeviceCharacteristics
      ? below(file)->pMethods->xDeviceCharacteristics(below(file))
      : 0;
}

// Neither memory-mapped files, which would not show buffered writes, nor memory shared between
// processes, which a database with a journal does not have.
static const sqlite3_io_methods methods = {
    1, closeFile, readFile, writeFile, truncateFile, syncFile, sizeOfFile, lockFile, unlockFile,
    checkReserved, controlFile, sectorSize, deviceTraits, 0, 0, 0, 0, 0, 0};

static int openFile(
    sqlite3_vfs *layer, const char *name, sqlite3_file *given, int flags, int *outFlags) {
  sqlite3_vfs *under = ((larder_gathering *)layer)->below;
  if (!name || !(flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL))) {
    return under->xOpen(under, name, given, flags, outFlags);
  }
  GatheringFile *file = (GatheringFile *)given;
  memset(file, 0, sizeof(*file));
  file->below = (sqlite3_file *)(file + 1);
  int code = under->xOpen(under, name, file->below, flags, outFlags);
  if (!file->below->pMethods) return code;
  file->base.pMethods = &methods;
  if (code == SQLITE_OK && (flags & SQLITE_OPEN_MAIN_JOURNAL)) {
    file->isJournal = 1;
    file->other = (GatheringFile *)sqlite3_database_file_object(name);
    file->other->other = file;
  }
  return code;
}

larder_gathering *larder_gathering_make(const char *belowName) {
  sqlite3_vfs *under = sqlite3_vfs_find(belowName);
  larder_gathering *made = under ? sqlite3_malloc(sizeof(*made)) : 0;
  if (!made) return 0;
  memset(made, 0, sizeof(*made));
  snprintf(made->name, sizeof(made->name), "larder-gathering-%p", (void *)made);
  made->below = under;
  made->layer = *under;
  sqlite3_vfs *layer = &made->layer;
  layer->szOsFile += (int)sizeof(GatheringFile);
  layer->pNext = 0;
  layer->zName = made->name;
  layer->xOpen = openFile;
  if (sqlite3_vfs_register(layer, 0) == SQLITE_OK) return made;
  sqlite3_free(made);
  return 0;
}

const char *larder_gathering_name(const larder_gathering *gathering) { return gathering->name; }

void larder_gathering_free(larder_gathering *gathering) {
  if (!gathering) return;
  sqlite3_vfs_unregister(&gathering->layer);
  sqlite3_free(gathering);
}

void larder_leave_log(sqlite3 *connection) {
  if (connection) sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, 0);
}
