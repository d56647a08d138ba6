import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DiskCache {
  /// Records every get, set and removal from now on, in all suites: when, what stands for suite and
  /// key, bytes and time to live of values, and whether a get was a hit. `larder trace info`,
  /// `simulate`, `mrc` and `advise` read the file. What cannot be written is lost and counted, and
  /// the cache goes on.
  ///
  /// - Parameters:
  ///   - path: the file, which must not exist, and not be in the cache's folder. Only its owner may
  ///     read it.
  ///   - sampling: the share of keys to record, above 0 and at most 1: see `MemoryCache.record`.
  ///   - keys: what stands for keys in the file. The text of a key in a suite with a name is that
  ///     name, a slash, and the key.
  /// - Returns: the recording, which goes on until it is stopped or the cache is destroyed.
  /// - Throws: `RecordingError`; `alreadyRecording` until the recording before was stopped.
  @discardableResult
  public func record(
    to path: String, sampling: Double = 1, keys: RecordedKeys = .keyed
  ) throws(RecordingError) -> CacheRecording {
    try record(to: path, sampling: sampling, keys: keys, file: nil)
  }

  /// The same to another file.
  package func record(
    to path: String, sampling: Double = 1, keys: RecordedKeys = .keyed,
    file: (any RecordingFile)?
  ) throws(RecordingError) -> CacheRecording {
    nonisolated(unsafe) let core = core
    return try recorder.begin(
      RecordPoint.Plan(
        path: path, sampling: sampling, keys: keys, origin: .disk, clock: core.clock, file: file,
        gets: { [lock] in
          lock.lock()
          defer { lock.unlock() }
          return core.statistics.hits &+ core.statistics.misses
        }))
  }

  /// Notes a get and what came of it.
  func noteGet(_ key: String, _ suite: String, _ entry: DiskEntry?) {
    note(.get, key, suite) { unit in
      let isHit = entry.map { !$0.metadata.isExpired } ?? false
      unit.outcome = isHit ? .hit : .miss
      if isHit { unit.size = entry.map { UInt64($0.data.count) } }
    }
  }

  /// Notes a set.
  func noteSet(
    _ bytes: Int, _ key: String, _ suite: String, _ options: DiskStoreOptions, _ life: DiskLife?
  ) {
    note(.set, key, suite) { unit in
      unit.size = UInt64(bytes)
      unit.cost = options.fetchCost.asFetchCost
      if options.isPermanent { return }
      if let life {
        unit.setLifetime(
          microseconds: life.expires == Request.noExpiry
            ? 0 : life.expires - min(unit.time, life.expires))
        if life.expires <= unit.time { unit.kind = .remove }
      } else if let timeToLive = options.timeToLive {
        unit.setLifetime(microseconds: timeToLive.microseconds)
        if unit.lifetime == 0 { unit.kind = .remove }
      }
    }
  }

  /// Notes a removal.
  func noteRemoval(_ key: String, _ suite: String) { note(.remove, key, suite) { _ in } }

  /// Notes that many entries were removed at once.
  func noteClearing() {
    guard recorder.isOn else { return }
    recorder.note(RecordUnit(.clear, 0, time: core.clock.nowMicroseconds))
  }

  private func note(
    _ kind: RecordedEvent.Kind, _ key: String, _ suite: String, _ fill: (inout RecordUnit) -> Void
  ) {
    guard recorder.isOn else { return }
    var text = suite.isEmpty ? key : "\(suite)/\(key)"
    let hash = text.withUTF8 { bytes in
      ByteHash.hash(UnsafeRawBufferPointer(bytes), seed: recorder.seed)
    }
    guard recorder.rings(hash) != nil else { return }
    if recorder.wantsTexts.load(ordering: .relaxed) { recorder.keep(hash) { text } }
    var unit = RecordUnit(kind, hash, time: core.clock.nowMicroseconds)
    fill(&unit)
    recorder.note(unit)
  }
}
