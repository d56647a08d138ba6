#include "CSQLiteFaults.h"

#include <sqlite3.h>
#include <string.h>

// One state for all files: tests that use it run one after the other.
static struct {
  int kinds;
  long first;
  long count;
  int code;
  long calls;
  long failures;
} state;

static sqlite3_vfs *systemFiles;
static sqlite3_vfs faultyFiles;

typedef struct {
  sqlite3_file base;
  // The system's file, which stands behind this one in memory.
  sqlite3_file *real;
} FaultyFile;

static sqlite3_file *real(sqlite3_file *file) { return ((FaultyFile *)file)->real; }

// The code with which a call of a kind is to fail, 0 if it is not.
static int failure(int kind, int usual) {
  if (!(state.kinds & kind)) return SQLITE_OK;
  state.calls += 1;
  if (state.first == 0 || state.calls < state.first) return SQLITE_OK;
  if (state.calls - state.first >= state.count) return SQLITE_OK;
  state.failures += 1;
  return state.code ? state.code : usual;
}

static int closeFile(sqlite3_file *file) { return real(file)->pMethods->xClose(real(file)); }

static int readFile(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  int code = failure(LARDER_FAULT_READ, SQLITE_IOERR_READ);
  if (code) return code;
  return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int writeFile(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  int code = failure(LARDER_FAULT_WRITE, SQLITE_IOERR_WRITE);
  if (code) {
    real(file)->pMethods->xWrite(real(file), bytes, count / 2, offset);
    return code;
  }
  return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
}

static int truncateFile(sqlite3_file *file, sqlite3_int64 size) {
  int code = failure(LARDER_FAULT_TRUNCATE, SQLITE_IOERR_TRUNCATE);
  return code ? code : real(file)->pMethods->xTruncate(real(file), size);
}

static int syncFile(sqlite3_file *file, int flags) {
  int code = failure(LARDER_FAULT_SYNC, SQLITE_IOERR_FSYNC);
  return code ? code : real(file)->pMethods->xSync(real(file), flags);
}

static int sizeOfFile(sqlite3_file *file, sqlite3_int64 *size) {
  int code = failure(LARDER_FAULT_SIZE, SQLITE_IOERR_FSTAT);
  return code ? code : real(file)->pMethods->xFileSize(real(file), size);
}

static int lockFile(sqlite3_file *file, int level) {
  int code = failure(LARDER_FAULT_LOCK, SQLITE_IOERR_LOCK);
  return code ? code : real(file)->pMethods->xLock(real(file), level);
}

static int unlockFile(sqlite3_file *file, int level) {
  return real(file)->pMethods->xUnlock(real(file), level);
}

static int checkReserved(sqlite3_file *file, int *answer) {
  return real(file)->pMethods->xCheckReservedLock(real(file), answer);
}

static int controlFile(sqlite3_file *file, int operation, void *argument) {
  return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int sectorSize(sqlite3_file *file) {
  return real(file)->pMethods->xSectorSize(real(file));
}

static int deviceTraits(sqlite3_file *file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int mapShared(
    sqlite3_file *file, int region, int size, int extend, void volatile **memory) {
  int code = failure(LARDER_FAULT_SHARED, SQLITE_IOERR_SHMMAP);
  return code ? code : real(file)->pMethods->xShmMap(real(file), region, size, extend, memory);
}

static int lockShared(sqlite3_file *file, int offset, int count, int flags) {
  int code = (flags & SQLITE_SHM_LOCK) ? failure(LARDER_FAULT_SHARED, SQLITE_IOERR_SHMLOCK) : 0;
  return code ? code : real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void fenceShared(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int unmapShared(sqlite3_file *file, int deletes) {
  return real(file)->pMethods->xShmUnmap(real(file), deletes);
}

// Without mapping of files into memory: every read is a call.
static const sqlite3_io_methods methods = {
    2,           closeFile,    readFile,      writeFile,   truncateFile, syncFile,
    sizeOfFile,  lockFile,     unlockFile,    checkReserved, controlFile, sectorSize,
    deviceTraits, mapShared,   lockShared,    fenceShared, unmapShared,  0,
    0,
};

static int openFile(
    sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *outFlags) {
  FaultyFile *faulty = (FaultyFile *)file;
  (void)vfs;
  memset(faulty, 0, sizeof(*faulty));
  int code = failure(LARDER_FAULT_OPEN, SQLITE_CANTOPEN);
  if (code) return code;
  faulty->real = (sqlite3_file *)(faulty + 1);
  code = systemFiles->xOpen(systemFiles, name, faulty->real, flags, outFlags);
  if (code == SQLITE_OK) faulty->base.pMethods = &methods;
  return code;
}

static int deleteFile(sqlite3_vfs *vfs, const char *name, int syncs) {
  (void)vfs;
  int code = failure(LARDER_FAULT_DELETE, SQLITE_IOERR_DELETE);
  return code ? code : systemFiles->xDelete(systemFiles, name, syncs);
}

const char *larder_faults_name(void) {
  if (!systemFiles) {
    systemFiles = sqlite3_vfs_find(0);
    faultyFiles = *systemFiles;
    faultyFiles.zName = "larder-faults";
    faultyFiles.szOsFile = (int)sizeof(FaultyFile) + systemFiles->szOsFile;
    faultyFiles.pNext = 0;
    faultyFiles.xOpen = openFile;
    faultyFiles.xDelete = deleteFile;
    sqlite3_vfs_register(&faultyFiles, 0);
  }
  return faultyFiles.zName;
}

void larder_faults_arm(int kinds, long first, long count, int code) {
  state.kinds = kinds;
  state.first = first;
  state.count = count;
  state.code = code;
  state.calls = 0;
  state.failures = 0;
}

long larder_faults_calls(void) { return state.calls; }

long larder_faults_failures(void) { return state.failures; }
