import LarderEngine

/// Limits that are changed while the cache is in use.
extension HybridCache {
  /// The limits of the memory tier that hold now; nil where there is none.
  public var memoryLimits: MemoryCacheLimits? { memory?.limits }

  /// The limits of the disk tier that hold now; nil where there is none.
  public var diskLimits: DiskLimits? { disk?.limits }

  /// Changes the limits of the memory tier, and returns how many entries no longer fitted and went:
  /// see `MemoryCache.setLimits`. Disk keeps what it has; of an exclusive cache what memory
  /// gives up is gone. O(entries in memory).
  ///
  /// - Throws: `memory`, or `configuration` where there is no memory tier; nothing has changed
  ///   then.
  @discardableResult
  public func setMemoryLimits(_ limits: MemoryCacheLimits) throws(HybridCacheError) -> Int {
    guard let memory else { throw .configuration(message: "the cache has no memory tier") }
    defer { finish() }
    do throws(MemoryCacheError) {
      return try memory.setLimits(limits)
    } catch {
      throw .memory(error)
    }
  }

  /// Changes the limits of the disk tier, and returns what was freed because it no longer fits: see
  /// `DiskCache.setLimits`. Memory keeps what it has, but no longer than the new limit on age, if
  /// there is one. Of a disk cache that several caches share, the limits are those of all; memory
  /// of the others keeps the lives that its entries have.
  ///
  /// - Throws: `disk`, or `configuration` where there is no disk tier.
  @discardableResult
  public func setDiskLimits(_ limits: DiskLimits) throws(HybridCacheError) -> DiskFreed {
    guard let disk else { throw .configuration(message: "the cache has no disk tier") }
    defer { finish() }
    do throws(DiskCacheError) {
      let freed = try disk.setLimits(limits)
      if let age = diskAge?.microseconds {
        memory?.shortenLives { held in
          let created = held.pointee.note.facts?.created ?? held.pointee.createdBits
          return created.addingReportingOverflow(age)
        }
      }
      return freed
    } catch {
      throw .disk(error)
    }
  }

  /// The longest life of an entry in memory; nil for no limit.
  var memoryAge: Duration? { memory?.limits.age }

  /// The longest life of an entry on disk; nil for no limit.
  var diskAge: Duration? { disk?.timeToLive }
}
