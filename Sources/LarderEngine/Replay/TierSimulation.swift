/// A simulation of one tier with every feature but time: operations, TTLs, costs, limits, a filter,
/// and segments of a disk. The policy decides which objects are stored, and the segments determine
/// the copies.
package final class TierSimulation: Simulation {
  private let tier: SimulatedTier
  private let columns: RequestColumns
  private let reader: RequestReader
  private let isDisk: Bool
  private let countsBytes: Bool
  // Asked at every request, where looking into `outcomes` or `shelf` would cost a call.
  private let recordsOutcomes: Bool
  private let hasSegments: Bool
  private var shelf: SegmentShelf?
  private var totals = SimulationTotals()
  /// Position of the next request.
  package private(set) var position = 0
  /// Sizes in bytes that each tier served, if the setup requests them.
  package private(set) var outcomes: OutcomeSizes?

  /// An empty cache before the first request.
  init(_ tier: SimulatedTier, _ single: SingleTier, _ segments: SegmentSetup?) {
    self.tier = tier
    columns = single.columns
    reader = RequestReader(single.columns, unit: single.unit)
    isDisk = single.isDisk
    countsBytes = single.unit == .bytes
    recordsOutcomes = single.recordsOutcomes
    hasSegments = segments != nil
    if let segments { shelf = SegmentShelf(segments, objects: single.columns.objects) }
    outcomes = recordsOutcomes ? OutcomeSizes() : nil
  }

  /// Values copied to recycle segments since the start or the last `resetCounts`.
  package var copies: UInt64 { shelf?.copies ?? 0 }

  /// See `Simulation`.
  package var stateBytes: Int { tier.stateBytes + (shelf?.stateBytes ?? 0) }

  /// The counts, including the bytes copied between segments.
  package var counts: Counts {
    var counts = totals.counts(of: tier.counts, isDisk: isDisk, hasCosts: columns.costs != nil)
    if hasSegments { counts.disk.bytesMoved = shelf?.bytesMoved }
    return counts
  }

  /// Resets all counts and keeps the cache's content.
  package func resetCounts() {
    totals = SimulationTotals()
    tier.tier.resetCounts()
    shelf?.resetCounts()
    if recordsOutcomes { outcomes = OutcomeSizes() }
  }

  /// Replays requests up to `end`, exclusive; see `Simulation.run`.
  package func run(upTo end: Int, untilFirstEviction: Bool) -> Bool {
    let end = min(end, columns.count)
    while position < end {
      tier.prefetch(ahead: position, in: columns)
      let (operation, now, ttl) = reader.context(at: position)
      var request = reader.request(at: position)
      request.expires = tier.tier.expiryFrom(now, UInt64(ttl) * 1_000_000)
      apply(operation, request, now)
      position += 1
      if untilFirstEviction, tier.counts.evictions > 0 { return true }
    }
    return false
  }

  private func apply(_ operation: Operation, _ request: Request, _ now: UInt64) {
    switch operation {
    case .get: get(request, now)
    case .set:
      totals.sets += 1
      put(request, now)
    case .delete:
      totals.deletes += 1
      tier.tier.remove(request.id)
      shelf?.drop(request.id)
      shelf?.commitDropped()
    case .modify:
      if tier.tier.contains(request.id) { tier.setStale(request.id, true) }
    case .bypass:
      totals.request(request)
      fetched(request)
    case .expire:
      if tier.changeExpiry(request.id, to: request.expires, now: now) { shelf?.renew() }
    }
  }

  private func get(_ request: Request, _ now: UInt64) {
    totals.request(request)
    let copy = tier.use(request, now)
    if let copy { hit(request, copy) }
    // It had expired, or the policy has evicted it on this hit.
    if hasSegments, !tier.tier.contains(request.id) { shelf?.drop(request.id) }
    guard copy == nil else { return }
    fetched(request)
    put(request, now)
  }

  private func hit(_ request: Request, _ copy: TierCopy) {
    if hasSegments { dropVictims(sparing: request.id) }
    totals.hit(request)
    if copy.isStale { totals.staleHits += 1 }
    guard recordsOutcomes else { return }
    let served = countsBytes ? copy.size : reader.bytes(at: position)
    if isDisk {
      outcomes?.diskHits.add(bytes: served)
    } else {
      outcomes?.memoryHits.add(bytes: served)
    }
  }

  private func put(_ request: Request, _ now: UInt64) {
    let isAccepted = tier.put(request, now)
    guard hasSegments else { return }
    let isVictim = dropVictims(sparing: request.id)
    if isAccepted, !isVictim {
      shelf?.store(request.id, request.size)
    } else {
      shelf?.drop(request.id)
      shelf?.commitDropped()
    }
  }

  private func fetched(_ request: Request) {
    guard recordsOutcomes else { return }
    outcomes?.misses.add(bytes: reader.bytes(at: position))
    if columns.costs != nil { outcomes?.addOriginTime(milliseconds: request.cost) }
  }

  /// Drops the objects that the tier has evicted, and returns true if `id` is among them.
  @discardableResult private func dropVictims(sparing id: ObjectID) -> Bool {
    var isVictim = false
    for place in 0..<tier.evicted.count {
      let victim = tier.evicted[place]
      if victim == id { isVictim = true } else { shelf?.drop(victim) }
    }
    return isVictim
  }
}

/// The positions of a simulated disk cache's values in its segments, and the copies made to recycle
/// them: the steps of `DiskCore`, in its order.
///
/// A set writes its value, then commits the removal of the entries that left the cache since the
/// last commit and of the value it replaces, and then recycles segments while too many bytes are
/// dead.
struct SegmentShelf: ~Copyable {
  /// A value that no committed row refers to.
  private struct Retired {
    var place: SegmentLedger.Place
    var extent: UInt64
  }

  /// A value at a position: dead if the object has moved.
  private struct Entry {
    var id: ObjectID
    var offset: UInt64
  }

  /// The position of an object's value. Not private: debug builds of Swift 6.3 fail on a column of
  /// a private type.
  struct Standing: BitwiseCopyable {
    /// 0 if it is in no segment.
    var segment: UInt64
    var offset: UInt64
    var bytes: UInt32
    /// True if it has a row.
    var isStored: Bool
  }

  private let setup: SegmentSetup
  private var ledger: SegmentLedger
  private var standing: Column<Standing>
  /// The values written to each segment since it was empty, in order.
  private var entries: [UInt64: [Entry]] = [:]
  private var retired: [Retired] = []
  /// Objects whose rows are deleted with the next write.
  private var doomed = 0
  private var operations = 0
  private var bytes: UInt64 = 0
  /// Values copied, and their bytes.
  private(set) var copies: UInt64 = 0
  private(set) var bytesMoved: UInt64 = 0

  /// Creates empty segments for objects with ids up to `objects`.
  init(_ setup: SegmentSetup, objects: Int) {
    self.setup = setup
    ledger = SegmentLedger(bytesMax: setup.bytes)
    standing = Column(objects: objects)
  }

  /// Memory held, in bytes, approximately.
  var stateBytes: Int {
    standing.bytes
      + entries.values.reduce(0) { $0 + $1.capacity * MemoryLayout<Entry>.stride }
  }

  /// Resets the counts.
  mutating func resetCounts() {
    copies = 0
    bytesMoved = 0
  }

  /// True if an object has a value.
  func holds(_ id: ObjectID) -> Bool { standing[id].isStored }

  /// Stores or replaces the value of an object.
  mutating func store(_ id: ObjectID, _ size: UInt32) {
    let place = isAppended(size) ? append(id, size) : nil
    unstore(id)
    standing[id] = Standing(
      segment: place?.segment ?? 0, offset: place?.offset ?? 0, bytes: size, isStored: true)
    operations += 1
    bytes += UInt64(size)
    write()
  }

  /// Writes another expiry of a stored object, which changes only its row.
  mutating func renew() {
    operations += 1
    write()
  }

  /// Removes the value of an object, if any, with the next commit.
  mutating func drop(_ id: ObjectID) {
    guard standing[id].isStored else { return }
    unstore(id)
    doomed += 1
  }

  /// Commits pending removals, if any.
  mutating func commitDropped() {
    if doomed > 0 { write() }
  }

  private func isAppended(_ size: UInt32) -> Bool {
    UInt64(size) > setup.inlineBytesMax && ledger.takes(UInt64(size))
  }

  private mutating func append(_ id: ObjectID, _ size: UInt32) -> SegmentLedger.Place {
    let extent = SegmentLedger.extent(UInt64(size))
    let (place, _) = ledger.place(extent: extent)
    if place.offset == 0 { entries[place.segment] = [] }
    ledger.noteWritten(place, extent: extent)
    entries[place.segment, default: []].append(Entry(id: id, offset: place.offset))
    forgetGone()
    return place
  }

  private mutating func unstore(_ id: ObjectID) {
    let old = standing[id]
    if old.segment != 0 {
      retired.append(
        Retired(
          place: SegmentLedger.Place(segment: old.segment, offset: old.offset),
          extent: SegmentLedger.extent(UInt64(old.bytes))))
    }
    standing[id] = Standing(segment: 0, offset: 0, bytes: 0, isStored: false)
  }

  /// Ends a write: commits if the group is full, and recycles.
  private mutating func write() {
    operations += doomed
    doomed = 0
    guard operations >= setup.groupWrites || bytes >= setup.groupBytes else { return }
    operations = 0
    bytes = 0
    for value in retired { ledger.retire(value.place, extent: value.extent, keeps: true) }
    retired.removeAll(keepingCapacity: true)
    forgetGone()
    while ledger.isWasteful, let segment = ledger.victim() { recycle(segment) }
  }

  /// Copies the live values of a segment.
  private mutating func recycle(_ segment: UInt64) {
    var moved: [Retired] = []
    for entry in entries[segment] ?? [] {
      let old = standing[entry.id]
      guard old.isStored, old.segment == segment, old.offset == entry.offset else { continue }
      let place = append(entry.id, old.bytes)
      standing[entry.id].segment = place.segment
      standing[entry.id].offset = place.offset
      moved.append(
        Retired(
          place: SegmentLedger.Place(segment: segment, offset: entry.offset),
          extent: SegmentLedger.extent(UInt64(old.bytes))))
      copies += 1
      bytesMoved += UInt64(old.bytes)
    }
    for value in moved { ledger.retire(value.place, extent: value.extent, keeps: true) }
    ledger.spend(segment)
    forgetGone()
  }

  private mutating func forgetGone() {
    for segment in ledger.takeGone() { entries[segment] = nil }
  }
}
