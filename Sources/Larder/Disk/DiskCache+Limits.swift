/// Limits that are changed while the cache is open.
extension DiskCache {
  /// The limits that hold now: those of the configuration, or of the last `setLimits`.
  public var limits: DiskLimits { withLock { $0.configuration.limits } }

  /// Changes the limits, and returns what was freed because it no longer fits.
  ///
  /// The policy chooses what goes; these count as evictions. Larger limits hold at once. Another
  /// `age` is for entries that are stored or renewed from now on. The policy is told of the
  /// entries as after a restart (see `DiskCache`), so it keeps what it would keep then. The limits
  /// are not stored: the next opening takes those of its configuration.
  ///
  /// O(n log n) in the entries, during which other calls wait.
  ///
  /// - Throws: `limit` or `configuration` when a number is out of range or the policy cannot have
  ///   it, and nothing has changed; `closed`; `database` when what was given up could not be
  ///   deleted yet, and the limits hold.
  @discardableResult
  public func setLimits(_ limits: DiskLimits) throws(DiskCacheError) -> DiskFreed {
    try withCore { (core) throws(DiskCacheError) in
      defer { age.store(core.configuration.limits.ageMicroseconds, ordering: .relaxed) }
      return try core.resize(limits)
    }
  }

  /// The longest life of what is stored from now on; nil for no limit. Takes no lock.
  var timeToLive: Duration? {
    let age = age.load(ordering: .relaxed)
    return age == 0 ? nil : .microseconds(Int64(clamping: age))
  }
}
