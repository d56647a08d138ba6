#ifndef CSQLITE_FAULTS_H
#define CSQLITE_FAULTS_H

// A layer between SQLite and the system's files of which a test says what fails. For tests alone.

/// Kinds of calls, to be joined with `|`.
enum {
  LARDER_FAULT_READ = 1,
  LARDER_FAULT_WRITE = 2,
  LARDER_FAULT_SYNC = 4,
  LARDER_FAULT_TRUNCATE = 8,
  LARDER_FAULT_SIZE = 16,
  LARDER_FAULT_LOCK = 32,
  LARDER_FAULT_SHARED = 64,
  LARDER_FAULT_OPEN = 128,
  LARDER_FAULT_DELETE = 256,
};

/// The name under which SQLite knows the layer; registers it at the first call.
const char *larder_faults_name(void);

/// From now on the call number `first` of these kinds (1 is the next one) fails, and the `count` - 1
/// after it; 0 for `first` is none. `code` is SQLite's code for the failure, 0 for the input/output
/// error of that kind of call. A write that fails leaves half of its bytes.
void larder_faults_arm(int kinds, long first, long count, int code);

/// Calls of the kinds since they were armed.
long larder_faults_calls(void);

/// Calls that have failed since they were armed.
long larder_faults_failures(void);

#endif
