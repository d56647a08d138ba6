import LarderEngine
public import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A recording of an app's requests to a cache, readable by `larder advise` and every other
/// command.
///
/// ```swift
/// let recording = try cache.record(to: path, sampling: 0.01)
/// // ... a day later
/// let statistics = recording.stop()
/// ```
///
/// It continues until `stop()` or the end of the cache, even if this object is not retained. After
/// a kill, the file has all but the last second.
public final class CacheRecording: Sendable {
  /// The file.
  public let path: String
  /// Share of the keys that is recorded, rounded to 32 bits.
  public let sampling: Double

  let writer: RecordingWriter
  private let point: RecordPoint

  init(_ path: String, threshold: UInt64, _ writer: RecordingWriter, _ point: RecordPoint) {
    self.path = path
    sampling = Double(threshold) / Double(RecordedHeader.wholeThreshold)
    self.writer = writer
    self.point = point
  }

  /// Counts of recorded and lost operations so far.
  public var statistics: RecordingStatistics { writer.statistics }

  package func catchUp() { writer.catchUp() }

  /// Ends the recording, and waits until everything is in the file and the file is on the disk and
  /// closed. Later calls do nothing.
  ///
  /// - Returns: The final counts. `error` describes a failure of the file, if any.
  @discardableResult public func stop() -> RecordingStatistics {
    point.end(self)
    writer.wait()
    return statistics
  }
}

enum RecordedText {
  static func check<Key>(_ type: Key.Type) throws(RecordingError) {
    guard type is any DiskKeyRepresentable.Type || type is any CustomStringConvertible.Type else {
      throw .keysWithoutText(type: "\(type)")
    }
  }

  static func text<Key>(of key: Key) -> String {
    if let key = key as? any DiskKeyRepresentable { return key.diskKey }
    return (key as? any CustomStringConvertible)?.description ?? "\(key)"
  }
}

/// Counts of a recording so far.
public struct RecordingStatistics: Sendable, Hashable {
  /// Operations that were written to the file.
  public var written: UInt64 = 0
  /// Operations that were lost: the writer was too slow, or their block could not be written.
  public var lost: UInt64 = 0
  /// Blocks written.
  public var blocks: UInt64 = 0
  /// Blocks dropped because the file could not be written, for example because the disk is full.
  public var droppedBlocks: UInt64 = 0
  /// Bytes in the file.
  public var bytes: UInt64 = 0
  /// Gets of the cache since the recording began, including those of keys that are not sampled.
  public var gets: UInt64 = 0
  /// Error of the last dropped block or of closing the file; nil for none.
  public var error: String?
  /// True if the recording has ended.
  public var hasEnded = false

  /// Creates counts that are all zero.
  public init() {}
}

/// Error of starting a recording.
public enum RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The share of keys is not above 0 and at most 1.
  case sampling(Double)
  /// The cache is being recorded already.
  case alreadyRecording(path: String)
  /// Keys of this type have no text.
  case keysWithoutText(type: String)
  /// A file of this name already exists.
  case exists(path: String)
  /// The file cannot be created or written.
  case file(message: String)
  /// The system could not create a thread.
  case noThread

  /// The error in one line of text.
  public var description: String {
    switch self {
    case .sampling(let rate):
      "recording: sampling \(rate) is out of range: expected a share of the keys above 0 and at "
        + "most 1, such as 0.01"
    case .alreadyRecording(let path):
      "recording: the cache is already being recorded to \(path); stop that recording first"
    case .keysWithoutText(let type):
      "recording: keys of type \(type) have no text form: leave out plainKeys, or make them "
        + "CustomStringConvertible"
    case .exists(let path):
      "recording: \(path) exists; a recording never overwrites a file"
    case .file(let message): "recording: \(message)"
    case .noThread: "recording: cannot start a thread for writing"
    }
  }
}

extension MemoryCache {
  /// Records every get, set and removal from now on: its time, a representation of the key, weight
  /// and TTL of a stored value, and if a get was a hit. The commands of `larder` read the file.
  ///
  /// A thread writes the file; operations for which it is too slow, or has no room on the disk, are
  /// lost and counted, and the cache continues. Times of gets are exact to 5 ms while the cache is
  /// busy, and to 50 ms otherwise.
  ///
  /// - Parameters:
  ///   - path: The file, which must not exist, and not be in a cache's folder. Only its owner may
  ///     read it.
  ///   - sampling: Share of keys to record, above 0 and at most 1, by which capacities are scaled
  ///     when the file is read: 0.01 suits caches of 100,000 entries.
  ///   - plainKeys: True to store the text of each key, for keys without secrets. Otherwise the
  ///     file has hashes with a random key that is discarded when the recording ends: no key can be
  ///     derived from the file or tested for, and two recordings cannot be matched. Keys with the
  ///     same hash, of 64 bits, count as one.
  /// - Throws: `RecordingError`; `alreadyRecording` until the previous recording was stopped.
  @discardableResult public func record(
    to path: String, sampling: Double = 1, plainKeys: Bool = false
  ) throws(RecordingError) -> CacheRecording {
    try record(to: path, sampling: sampling, plainKeys: plainKeys, file: nil)
  }

  package func record(
    to path: String, sampling: Double = 1, plainKeys: Bool = false,
    file: (any RecordingFile)?, isPart: Bool = false
  ) throws(RecordingError) -> CacheRecording {
    if plainKeys { try RecordedText.check(Key.self) }
    // Captures the shards, not the cache: otherwise the writer could hold the last reference to the
    // cache. The shards exist until the recording is notified of its end.
    nonisolated(unsafe) let blocks = blocks
    return try recorder.begin(
      RecordPoint.Plan(
        path: path, sampling: sampling, plainKeys: plainKeys, origin: isPart ? .hybrid : .memory,
        clock: clock, rings: blocks.slots?.count ?? blocks.count, file: file,
        notesGetsOnly: isPart,
        gets: { blocks.gets }, arm: { [events] in events.record($0) }))
  }

  // MARK: Recording operations

  @inlinable @inline(never) func getWatched<Result>(
    _ key: Key, _ hash: UInt64, _ read: (UnsafePointer<Value>) -> Result?
  ) -> Result? {
    let index = blocks.index(hash)
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    blocks.prefetch(index, upper)
    let isHeard = events.isActive
    guard let rings = recorder.rings(hash) else {
      return getLocked(key, upper, index, isHeard, read)
    }
    if recorder.wantsTexts.load(ordering: .relaxed) { keepText(key, hash) }
    guard let slots = blocks.slots else {
      return getLocked(key, hash, index, isHeard, rings, read)
    }
    if !isHeard {
      var result: Result?
      if getThroughSlot(key, hash, index, slots, rings, &result, read) { return result }
    }
    let result = getLocked(key, upper, index, isHeard, read)
    note(get: hash, isHit: result != nil, slots, rings)
    return result
  }

  @inlinable @inline(__always) func getThroughSlot<Result>(
    _ key: Key, _ hash: UInt64, _ index: Int, _ slots: ReaderSlots, _ rings: RecordRings,
    _ result: inout Result?, _ read: (UnsafePointer<Value>) -> Result?
  ) -> Bool {
    let number = slots.ownNumber
    let slot = slots.slot(number)
    guard slot.enter(index) else { return false }
    guard blocks.isReadable(index) else {
      slot.leave()
      return false
    }
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    let outcome = blocks.view(index).pointee.get(key, upper, clock, &result, read)
    let isMiss = outcome == .miss && blocks.view(index).pointee.hasAllKeys
    var wakes = false
    if outcome == .hit {
      slot.countHit()
      wakes = rings.note(get: hash, isHit: true, in: number)
    } else if isMiss {
      slot.countMiss()
      wakes = rings.note(get: hash, isHit: false, in: number)
    }
    slot.leave()
    if wakes { rings.wake() }
    return outcome == .hit || isMiss
  }

  @inlinable @inline(__always) func getLocked<Result>(
    _ key: Key, _ hash: UInt64, _ index: Int, _ isHeard: Bool, _ rings: RecordRings,
    _ read: (UnsafePointer<Value>) -> Result?
  ) -> Result? {
    var result: Result?
    let upper = UInt32(truncatingIfNeeded: hash >> 32)
    blocks.lock(index)
    let leaving = blocks.shard(index).pointee.get(key, upper, clock, &result, read)
    let wakes = rings.note(get: hash, isHit: result != nil, in: index)
    let kind: CacheEventKind = result == nil ? .miss : .hit
    if case .nothing = leaving {
      blocks.unlock(index)
      if isHeard { events.send(CacheEvent(kind, key)) }
    } else {
      unlock(index, leaving, kind, key, isHeard)
    }
    if wakes { rings.wake() }
    return result
  }

  @usableFromInline @inline(never) func note(
    get hash: UInt64, isHit: Bool, _ slots: ReaderSlots, _ rings: RecordRings
  ) {
    let wakes = slots.inOwn { rings.note(get: hash, isHit: isHit, in: $0) }
    if wakes { rings.wake() }
  }

  @usableFromInline @inline(never) func noteSet(_ key: Key, _ hash: UInt64, _ entry: MemoryEntry) {
    loads.forgetAbsence(key)
    guard recorder.rings(hash) != nil, !recorder.notesGetsOnly.load(ordering: .relaxed) else {
      return
    }
    // An entry with a TTL of zero is never stored.
    let isOver = entry.expiry == Expiry(0) && !entry.isPermanent
    var unit = RecordUnit(isOver ? .remove : .set, hash, time: clock.time)
    if isWeighed || entry.size != 1 { unit.size = UInt64(entry.size) }
    // An update keeps the expiry that the entry had.
    let isKept = entry.timeToLive == 0 && entry.expiry != .never && !isOver
    let life = isKept ? max(1, entry.expiry.lifeLeft(at: unit.time)) : entry.timeToLive
    if !entry.isPermanent { unit.setLifetime(microseconds: life) }
    unit.cost = entry.fetchCost
    note(key, unit)
  }

  func noteRemoval(_ key: Key, _ hash: UInt64) {
    loads.forgetAbsence(key)
    guard !recorder.notesGetsOnly.load(ordering: .relaxed) else { return }
    note(key, RecordUnit(.remove, hash, time: clock.time))
  }

  func noteClearing() {
    guard recorder.isOn, !recorder.notesGetsOnly.load(ordering: .relaxed) else { return }
    note(nil, RecordUnit(.clear, 0, time: clock.time))
  }

  func note(_ key: Key?, _ unit: RecordUnit) {
    guard let rings = recorder.rings(unit.hash) else { return }
    if let key, recorder.wantsTexts.load(ordering: .relaxed) { keepText(key, unit.hash) }
    rings.know(unit.time)
    let wakes: Bool
    if let slots = blocks.slots {
      wakes = slots.inOwn { rings.ring($0).note(unit) }
    } else {
      let index = blocks.index(unit.hash)
      blocks.lock(index)
      wakes = rings.ring(index).note(unit)
      blocks.unlock(index)
    }
    if wakes { rings.wake() }
  }

  @usableFromInline @inline(never) func keepText(_ key: Key, _ hash: UInt64) {
    recorder.keep(hash) { RecordedText.text(of: key) }
  }

  private var isWeighed: Bool { configuration.limits.weight != nil }
}

extension ShardBlocks {
  fileprivate var gets: UInt64 {
    var sum: UInt64 = 0
    for index in 0..<count {
      lock(index)
      let totals = shard(index).pointee.totals
      unlock(index)
      sum &+= totals.hits &+ totals.misses
    }
    if let totals = slots?.totals { sum &+= totals.hits &+ totals.misses }
    return sum
  }
}

extension BlockingDiskCache {
  /// Records every get, set and removal from now on, in all suites: see `MemoryCache.record`. The
  /// text of a key in a suite with a name is that name, a slash, and the key.
  @discardableResult public func record(
    to path: String, sampling: Double = 1, plainKeys: Bool = false
  ) throws(RecordingError) -> CacheRecording {
    try record(to: path, sampling: sampling, plainKeys: plainKeys, file: nil)
  }

  package func record(
    to path: String, sampling: Double = 1, plainKeys: Bool = false,
    file: (any RecordingFile)?
  ) throws(RecordingError) -> CacheRecording {
    nonisolated(unsafe) let core = core
    return try recorder.begin(
      RecordPoint.Plan(
        path: path, sampling: sampling, plainKeys: plainKeys, origin: .disk, clock: core.clock,
        file: file,
        gets: { [lock] in
          lock.lock()
          defer { lock.unlock() }
          return core.statistics.hits &+ core.statistics.misses
        }))
  }

  func noteGet(_ key: String, _ suite: String, _ entry: DiskEntry?) {
    note(.get, key, suite) { unit in
      let isHit = entry.map { !$0.metadata.isExpired } ?? false
      unit.outcome = isHit ? .hit : .miss
      if isHit { unit.size = entry.map { UInt64($0.data.count) } }
    }
  }

  func noteSet(
    _ bytes: Int, _ key: String, _ suite: String, _ options: DiskStoreOptions, _ life: DiskLife?
  ) {
    note(.set, key, suite) { unit in
      unit.size = UInt64(bytes)
      unit.cost = options.fetchCost.asFetchCost
      if options.isPermanent { return }
      if let life {
        unit.setLifetime(
          microseconds: life.expiry == .never ? 0 : life.expiry.lifeLeft(at: unit.time))
        if life.expiry.isOver(at: unit.time) { unit.kind = .remove }
      } else if let timeToLive = options.timeToLive {
        unit.setLifetime(microseconds: timeToLive.microseconds)
        if unit.lifetime == 0 { unit.kind = .remove }
      }
    }
  }

  func noteRemoval(_ key: String, _ suite: String) { note(.remove, key, suite) { _ in } }

  func noteClearing() {
    guard recorder.isOn else { return }
    recorder.note(RecordUnit(.clear, 0, time: core.clock.time))
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
    var unit = RecordUnit(kind, hash, time: core.clock.time)
    fill(&unit)
    recorder.note(unit)
  }
}

extension HybridCache {
  /// Records every request, set and removal from now on: see `MemoryCache.record`. Bytes are known
  /// of values that have been on disk. The text of a key is its `diskKey`.
  @discardableResult public func record(
    to path: String, sampling: Double = 1, plainKeys: Bool = false
  ) throws(RecordingError) -> CacheRecording {
    try record(to: path, sampling: sampling, plainKeys: plainKeys, file: nil)
  }

  package func record(
    to path: String, sampling: Double = 1, plainKeys: Bool = false,
    file: (any RecordingFile)?
  ) throws(RecordingError) -> CacheRecording {
    if let memory {
      return try memory.record(
        to: path, sampling: sampling, plainKeys: plainKeys, file: file, isPart: true)
    }
    return try recorder.begin(
      RecordPoint.Plan(
        path: path, sampling: sampling, plainKeys: plainKeys, origin: .hybrid, clock: clock,
        file: file,
        gets: { [disk] in
          guard let statistics = disk?.statistics else { return 0 }
          return statistics.hits &+ statistics.misses
        }))
  }

  private var isRecorded: Bool { memory?.recorder.isOn ?? recorder.isOn }

  func noteGet(_ key: Key, bytes: Int?, _ now: UInt64) {
    guard isRecorded, memory == nil || bytes != nil else { return }
    note(key, memory == nil ? .get : .found, now) { unit in
      if memory == nil { unit.outcome = bytes == nil ? .miss : .hit }
      unit.size = bytes.map { UInt64($0) }
    }
  }

  func noteStore(_ item: PendingWrite<Key, Value>) {
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

  func noteRemoval(_ key: Key, _ now: UInt64) {
    guard isRecorded else { return }
    note(key, .remove, now) { _ in }
  }

  func noteClearing() {
    guard isRecorded else { return }
    let unit = RecordUnit(.clear, 0, time: clock.time)
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
