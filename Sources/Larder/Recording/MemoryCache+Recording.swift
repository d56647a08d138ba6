import LarderEngine
public import Synchronization

extension MemoryCache {
  /// Records every get, set and removal from now on: when, what stands for the key, cost and time
  /// to live of what is stored, and whether a get was a hit. `larder trace info`, `simulate`, `mrc`
  /// and `advise` read the file.
  ///
  /// A get takes 4 to 8 ns longer if its key is recorded and up to 1 ns if it is not, on two cores
  /// of which the writing thread has one. That thread writes the file; what it is too slow for, or
  /// has no room on the disk for, is lost and counted, and the cache goes on. Times of gets are
  /// exact to 5 ms while the cache is busy, and to 50 ms otherwise.
  ///
  /// - Parameters:
  ///   - path: the file, which must not exist. Only its owner may read it.
  ///   - sampling: the share of keys to record, above 0 and at most 1. All operations on such a key
  ///     are recorded, and none on others. The share is in the file, and capacities are scaled by
  ///     it wherever the file is read: 0.01 is good for caches of 100,000 entries.
  ///   - keys: what stands for keys in the file. Keys of one hash count as one.
  /// - Returns: the recording, which goes on until it is stopped or the cache is destroyed.
  /// - Throws: `RecordingError`; `alreadyRecording` until the recording before was stopped.
  @discardableResult
  public func record(
    to path: String, sampling: Double = 1, keys: RecordedKeys = .keyed
  ) throws(RecordingError) -> CacheRecording {
    try record(to: path, sampling: sampling, keys: keys, file: nil)
  }

  /// The same to another file, and for a cache that this one is a part of: then the sets and
  /// removals are for that one to note.
  package func record(
    to path: String, sampling: Double = 1, keys: RecordedKeys = .keyed,
    file: (any RecordingFile)?, isPart: Bool = false
  ) throws(RecordingError) -> CacheRecording {
    if keys == .plain { try RecordedText.check(Key.self) }
    // The shards, and not the cache: whoever holds a cache may be the one to destroy it. They are
    // there until the recording is told that it ends.
    nonisolated(unsafe) let blocks = blocks
    return try recorder.begin(
      RecordPoint.Plan(
        path: path, sampling: sampling, keys: keys, origin: isPart ? .hybrid : .memory,
        clock: clock, rings: blocks.slots?.count ?? blocks.count, file: file,
        notesGetsOnly: isPart,
        gets: { blocks.gets }, arm: { [events] in events.record($0) }))
  }

  // MARK: Noting

  /// A get whose key is recorded, or while somebody listens.
  @inlinable
  @inline(never)
  func getWatched<Result>(
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

  /// `getThroughSlot` with a note of the get, in the ring of the slot.
  @inlinable
  @inline(__always)
  func getThroughSlot<Result>(
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
    var wakes = false
    if outcome == .hit {
      slot.countHit()
      wakes = rings.note(get: hash, isHit: true, in: number)
    } else if outcome == .miss {
      slot.countMiss()
      wakes = rings.note(get: hash, isHit: false, in: number)
    }
    slot.leave()
    if wakes { rings.wake() }
    return outcome != .unknown
  }

  /// `getLocked` with a note of the get, in the ring of the shard.
  @inlinable
  @inline(__always)
  func getLocked<Result>(
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

  /// Notes a get of a cache with reader slots that was made under a lock.
  @usableFromInline
  @inline(never)
  func note(get hash: UInt64, isHit: Bool, _ slots: ReaderSlots, _ rings: RecordRings) {
    let wakes = slots.inOwn { rings.note(get: hash, isHit: isHit, in: $0) }
    if wakes { rings.wake() }
  }

  /// Notes a set.
  @usableFromInline
  @inline(never)
  func noteSet(_ key: Key, _ hash: UInt64, _ entry: MemoryEntry) {
    loads.forgetAbsence(key)
    guard recorder.rings(hash) != nil, !recorder.notesGetsOnly.load(ordering: .relaxed) else {
      return
    }
    // A life that is over at once is that of an entry that is never there.
    let isOver = entry.expires == 0 && !entry.isPermanent
    var unit = RecordUnit(isOver ? .remove : .set, hash, time: clock.nowMicroseconds)
    if isWeighed || entry.size != 1 { unit.size = UInt64(entry.size) }
    if !entry.isPermanent { unit.setLifetime(microseconds: entry.timeToLive) }
    unit.cost = entry.fetchCost
    note(key, unit)
  }

  /// Notes a removal.
  func noteRemoval(_ key: Key, _ hash: UInt64) {
    loads.forgetAbsence(key)
    guard !recorder.notesGetsOnly.load(ordering: .relaxed) else { return }
    note(key, RecordUnit(.remove, hash, time: clock.nowMicroseconds))
  }

  /// Notes that many entries were removed at once.
  func noteClearing() {
    guard recorder.isOn, !recorder.notesGetsOnly.load(ordering: .relaxed) else { return }
    note(nil, RecordUnit(.clear, 0, time: clock.nowMicroseconds))
  }

  /// Notes an operation, if its key is recorded. No lock of the cache is held.
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

  @usableFromInline
  @inline(never)
  func keepText(_ key: Key, _ hash: UInt64) {
    recorder.keep(hash) { RecordedText.text(of: key) }
  }

  private var isWeighed: Bool { configuration.limits.weight != nil }
}

extension ShardBlocks {
  /// Gets that were counted, in all shards. O(shards).
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
