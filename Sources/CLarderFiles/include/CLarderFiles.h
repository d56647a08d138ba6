#ifndef LARDER_FILES_H
#define LARDER_FILES_H

/// A virtual file system (VFS) for SQLite that combines writes, for databases with a rollback
/// journal that is never synced.
///
/// SQLite writes a journal in three calls per page and a database in one call per page. This layer
/// buffers contiguous writes to a file and writes up to 64 KiB at once. It keeps the order that
/// protects against the end of the process: before anything is written to the database, all of its
/// journal is; and before the journal's header is changed, which commits, all of the database is.
/// Databases whose journal is not open, such as those with a write-ahead log, are written as
/// without this layer. A failed write may be reported by a later call, but not later than by the
/// one that commits.
///
/// For one connection each: others do not see buffered writes before a commit.
typedef struct larder_gathering larder_gathering;
struct sqlite3;

/// Creates a layer above the VFS named `below`, or above SQLite's default for null. Returns null if
/// there is no such VFS or no memory. `below` must outlive the layer.
larder_gathering *larder_gathering_make(const char *below);

/// The name of a layer in SQLite.
const char *larder_gathering_name(const larder_gathering *gathering);

/// Frees a layer, whose files must be closed. Null does nothing.
void larder_gathering_free(larder_gathering *gathering);

/// Makes closing a connection leave its write-ahead log as it is. Null does nothing.
void larder_leave_log(struct sqlite3 *connection);

#endif
