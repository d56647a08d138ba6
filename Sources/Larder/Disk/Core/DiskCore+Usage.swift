import LarderEngine

extension DiskCore {
  /// Where the cache's bytes stand; a file whose size cannot be had counts as nothing. O(ids).
  var usage: DiskUsage {
    let overhead = index?.seal == nil ? 0 : UInt64(DiskSeal.overhead)
    let retired = transaction.retired.lazy.filter { DiskSegmentPlace($0.number) == nil }
      .reduce(0) { $0 + UInt64($1.bytes) }
    return DiskUsage(
      database: (try? folder.files.size(folder.databasePath)) ?? 0,
      log: [folder.logPath, folder.journalPath].reduce(0) {
        $0 + ((try? folder.files.size($1)) ?? 0)
      },
      files: slots.lazy.filter { $0.file != 0 && DiskSegmentPlace($0.file) == nil }.reduce(
        retired + folder.segments.usedBytes
      ) {
        $0 + UInt64($1.bytes) + overhead
      },
      spare: folder.spareBytes, aside: folder.asideBytes)
  }

  /// What was written since the cache was opened.
  var writes: DiskWrites {
    DiskWrites(files: folder.bytesWritten, log: index?.connection.bytesWritten ?? 0)
  }

  /// Commits everything and lets the system forget what it holds of the cache's files in memory.
  /// False when it is not known how. O(ids).
  func dropPageCache() throws(DiskCacheError) -> Bool {
    try flush()
    let index = try openIndex()
    do throws(SQLiteError) {
      try index.checkpoint()
    } catch {
      throw DiskCacheError(error)
    }
    index.connection.releaseMemory()
    index.readers.close()
    do throws(FileFailure) {
      var isKnown = try folder.files.dropCachedOpen(folder.databasePath)
      isKnown = try folder.segments.dropCached() && isKnown
      for slot in slots where slot.file != 0 && DiskSegmentPlace(slot.file) == nil {
        isKnown = try folder.dropCached(slot.file) && isKnown
      }
      return isKnown
    } catch {
      throw DiskCacheError(error)
    }
  }
}
