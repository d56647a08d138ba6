#ifndef LARDER_FILES_H
#define LARDER_FILES_H

/// A file layer of SQLite's (a VFS) that gathers writes: for databases with a rollback journal that
/// is never synced.
///
/// SQLite writes a journal in three calls a page and a database in one call a page. In this layer
/// what follows on from the last write of the same file is kept in memory and written together, up
/// to 64 KiB at once. The order that protects from the end of the process is kept: before anything
/// is written to the database, all of its journal is; and before the journal's header is changed,
/// which is what commits, all of the database is. Databases whose journal is not open, as those with
/// a write-ahead log, are written as without this layer. A write that fails may be told of by a
/// later call, but not later than by the one that commits.
///
/// For one connection each: what it gathers is not seen by others before a commit.
typedef struct larder_gathering larder_gathering;

/// A layer above the one named `below`, or above SQLite's own for null; null where there is no such
/// layer or no memory. `below` must stay as long.
larder_gathering *larder_gathering_make(const char *below);

/// The name by which SQLite knows a layer.
const char *larder_gathering_name(const larder_gathering *gathering);

/// Gives a layer up, whose files are closed. Null does nothing.
void larder_gathering_free(larder_gathering *gathering);

#endif
