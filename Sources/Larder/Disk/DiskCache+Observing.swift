extension DiskCache {
  /// Where the cache's bytes stand. O(entries).
  package var usage: DiskUsage { withLock { $0.usage } }

  /// What was written since the cache was opened, as far as the cache can tell.
  package var writes: DiskWrites { withLock { $0.writes } }

  /// Commits everything, writes it to the disk, and lets the system forget what it holds of the
  /// cache's files in memory, so that the next gets come from the disk. False where the system has
  /// no call for that (Apple's). O(entries).
  ///
  /// It does not reach what the file system keeps of folders and names, nor the disk's own memory,
  /// nor a file system that is memory, nor pages that another process has mapped or is just
  /// reading.
  ///
  /// - Throws: `database`, `files` or `closed`.
  package func dropPageCache() throws(DiskCacheError) -> Bool {
    try withCore { (core) throws(DiskCacheError) in try core.dropPageCache() }
  }

  /// What happens from now on. When the reader is slower than the cache, only the newest `buffered`
  /// events, at least one, are kept. While nobody listens events cost nothing; while somebody does,
  /// the key of every entry that goes is read from the database.
  ///
  /// An entry that expires, is evicted, trimmed or removed is told of by its key, an answer from
  /// an expired entry is a `miss`, and renewing is nothing. Entries that a damaged database or a
  /// failed group of writes takes along are not told of one by one: their keys are lost with them.
  public func eventStream(buffered: Int = 1024) -> AsyncStream<CacheEvent<DiskEntryName>> {
    events.stream(buffered: buffered)
  }

  /// Calls `handler` with what happens from now on, on the thread on which it happens and with no
  /// lock held, until the token is cancelled or destroyed. See `eventStream` for what is told.
  public func onEvent(
    _ handler: @escaping @Sendable (CacheEvent<DiskEntryName>) -> Void
  ) -> CacheEventToken {
    let number = events.listen(handler)
    return CacheEventToken { [weak events] in events?.drop(number) }
  }
}
