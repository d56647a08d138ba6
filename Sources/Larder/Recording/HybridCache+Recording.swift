import LarderEngine

extension HybridCache {
  /// Records every request, set and removal from now on: when, what stands for the key, bytes and
  /// time to live of values as far as they are known, and whether the cache had one. `larder trace
  /// info`, `simulate`, `mrc` and `advise` read the file.
  ///
  /// A hit in memory takes 4 to 8 ns longer if its key is recorded and up to 1 ns if it is not, on
  /// two cores of which the writing thread has one. What cannot be written is lost and counted, and
  /// the cache goes on. Bytes are known of values that have been on disk.
  ///
  /// - Parameters:
  ///   - path: the file, which must not exist, and not be in the cache's folder. Only its owner may
  ///     read it.
  ///   - sampling: the share of keys to record, above 0 and at most 1: see `MemoryCache.record`.
  ///   - keys: what stands for keys in the file. The text of a key is its `diskKey`.
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
    if let memory {
      return try memory.record(
        to: path, sampling: sampling, keys: keys, file: file, isPart: true)
    }
    return try recorder.begin(
      RecordPoint.Plan(
        path: path, sampling: sampling, keys: keys, origin: .hybrid, clock: clock, file: file,
        gets: { [disk] in
          guard let statistics = disk?.statistics else { return 0 }
          return statistics.hits &+ statistics.misses
        }))
  }

  /// Whether anything is recorded.
  private var isRecorded: Bool { memory?.recorder.isOn ?? recorder.isOn }

  /// Notes that the get of a key, which memory could not answer, found so many bytes on disk, or
  /// nothing.
  func noteGet(_ key: Key, bytes: Int?, _ now: UInt64) {
    guard isRecorded, memory == nil || bytes != nil else { return }
    note(key, memory == nil ? .get : .found, now) { unit in
      if memory == nil { unit.outcome = bytes == nil ? .miss : .hit }
      unit.size = bytes.map { UInt64($0) }
    }
  }

  /// Notes that something was stored.
  func noteStore(_ item: HybridItem<Key, Value>) {
    guard isRecorded else { return }
    note(item.key, .set, item.now) { unit in
      unit.size = item.data.map { UInt64($0.count) }
      unit.cost = item.options.fetchCost.asFetchCost
      if item.options.isPermanent { return }
      let life = item.options.timeToLive.map(\.microseconds)
      unit.setLifetime(microseconds: life ?? 0)
      if life == 0 { unit.kind = .remove }
    }
  }

  /// Notes a removal.
  func noteRemoval(_ key: Key, _ now: UInt64) {
    guard isRecorded else { return }
    note(key, .remove, now) { _ in }
  }

  /// Notes that many entries were removed at once.
  func noteClearing() {
    guard isRecorded else { return }
    let unit = RecordUnit(.clear, 0, time: clock.nowMicroseconds)
    if let memory { memory.note(nil, unit) } else { recorder.note(unit) }
  }

  private func note(
    _ key: Key, _ kind: RecordedEvent.Kind, _ now: UInt64, _ fill: (inout RecordUnit) -> Void
  ) {
    let hash = (memory?.hasher ?? KeyHasher(.standard)).hash(key)
    let point = memory?.recorder ?? recorder
    guard point.rings(hash) != nil else { return }
    var unit = RecordUnit(kind, hash, time: now)
    fill(&unit)
    if let memory { return memory.note(key, unit) }
    if point.wantsTexts.load(ordering: .relaxed) {
      point.keep(hash) { RecordedText.text(of: key) }
    }
    point.note(unit)
  }
}
