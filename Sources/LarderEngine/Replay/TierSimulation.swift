/// A simulation of one tier with every feature but time, specialised for its policy.
@usableFromInline
struct TierSimulation<Policy: EvictionPolicy & ~Copyable>: OperationReplay, ~Copyable {
  @usableFromInline var tier: Tier<Policy, FullShape>
  @usableFromInline let reader: RequestReader
  @usableFromInline let isDisk: Bool
  // Asked at every request: a look at the record would count its references.
  @usableFromInline let records: Bool
  @usableFromInline let record: TierRecord?
  @usableFromInline let victims: VictimList
  @usableFromInline let victimsOwner = VictimList.Owner()
  @usableFromInline var totals = SimulationTotals()
  @usableFromInline var position = 0

  @inlinable init(_ single: SingleTier) throws(PolicyError) {
    tier = try Tier(single.tierSetup.simulated)
    reader = RequestReader(single.columns, unit: single.unit)
    isDisk = single.isDisk
    record = TierRecord(single)
    records = record != nil
    victims = victimsOwner.list
  }

  @usableFromInline var outcomes: OutcomeSizes? { record?.outcomes }
  @usableFromInline var copies: UInt64 { record?.copies ?? 0 }
  @usableFromInline var stateBytes: Int { tier.stateBytes + (record?.stateBytes ?? 0) }
  @usableFromInline var choice: PolicyChoice? { tier.policy.choice }

  @usableFromInline mutating func holds(_ id: ObjectID) -> Bool {
    tier.holds(id, now: reader.time(at: position))
  }

  @usableFromInline var counts: Counts {
    var counts = totals.counts(
      of: tier.counts, isDisk: isDisk, hasCosts: reader.columns.costs != nil)
    counts.disk.bytesMoved = record?.bytesMoved
    return counts
  }

  @usableFromInline mutating func resetCounts() {
    totals = SimulationTotals()
    tier.counts = TierCounts()
    record?.resetCounts()
  }

  @inlinable var evictions: UInt64 { tier.counts.evictions }

  @inlinable @inline(__always) func prefetch(ahead position: Int) {
    let ahead = reader.ahead(of: position)
    tier.prefetch(ahead.far)
    tier.policy.prefetchNeighbours(ahead.near)
  }

  @inlinable @inline(__always) mutating func get(_ object: TimedRequest) {
    let (id, records, victims) = (object.request.id, records, victims)
    if records { victims.clear() }
    let access = tier.access(object.request, now: object.now) { if records { victims.append($0) } }
    if case .hit = access {
      totals.hit(object.request, isStale: tier.isStale(id))
      // The policy may have evicted the object on this hit. It still answers.
      if records { record?.hit(id, tier.size(of: id), at: position, tier.contains(id), victims) }
      return
    }
    if records { record?.missed(object.request, at: position) }
    put(object)
  }

  @inlinable @inline(__always) mutating func set(_ object: TimedRequest) { put(object) }

  @inlinable @inline(never) mutating func put(_ object: TimedRequest) {
    let (records, victims) = (records, victims)
    var request = object.request
    request.expires = tier.expiry(now: object.now, timeToLive: object.timeToLive)
    if records { victims.clear() }
    _ = tier.set(request, now: object.now) { if records { victims.append($0) } }
    if records { record?.put(request, isStored: tier.contains(request.id), victims) }
  }

  @inlinable mutating func delete(_ object: TimedRequest) {
    tier.remove(object.request.id)
    if records { record?.removed(object.request.id) }
  }

  @inlinable mutating func modify(_ request: Request) {
    if tier.contains(request.id) { tier.setStale(request.id, true) }
  }

  @inlinable mutating func bypass(_ object: TimedRequest) {
    if records { record?.fetched(object.request, at: position) }
  }

  @inlinable mutating func expire(_ object: TimedRequest) {
    let id = object.request.id
    let expires = tier.expiry(now: object.now, timeToLive: object.timeToLive)
    if tier.changeExpiry(id, to: expires, now: object.now), records { record?.renewed() }
  }
}

/// The sizes that a simulated tier serves, and the segments of a disk.
@usableFromInline final class TierRecord {
  private let reader: RequestReader
  private let isDisk: Bool
  private(set) var outcomes: OutcomeSizes?
  private var shelf: SegmentShelf?

  @usableFromInline init?(_ single: SingleTier) {
    let setup = single.setup
    guard setup.recordsOutcomes || setup.segments != nil else { return nil }
    reader = RequestReader(single.columns, unit: single.unit)
    isDisk = single.isDisk
    outcomes = setup.recordsOutcomes ? OutcomeSizes() : nil
    shelf = setup.segments.map { SegmentShelf($0, objects: single.columns.objects) }
  }

  var copies: UInt64 { shelf?.copies ?? 0 }
  var bytesMoved: UInt64? { shelf?.bytesMoved }
  var stateBytes: Int { shelf?.stateBytes ?? 0 }

  func resetCounts() {
    if outcomes != nil { outcomes = OutcomeSizes() }
    shelf?.resetCounts()
  }

  @usableFromInline @inline(never) func hit(
    _ id: ObjectID, _ size: UInt32, at position: Int, _ isStored: Bool, _ victims: VictimList
  ) {
    drop(victims, sparing: id)
    if !isStored { shelf?.drop(id) }
    guard outcomes != nil else { return }
    let served = reader.countsBytes ? size : reader.bytes(at: position)
    if isDisk {
      outcomes?.diskHits.add(bytes: served)
    } else {
      outcomes?.memoryHits.add(bytes: served)
    }
  }

  @usableFromInline @inline(never) func missed(_ request: Request, at position: Int) {
    shelf?.drop(request.id)
    fetched(request, at: position)
  }

  @usableFromInline @inline(never) func fetched(_ request: Request, at position: Int) {
    guard outcomes != nil else { return }
    outcomes?.misses.add(bytes: reader.bytes(at: position))
    if reader.columns.costs != nil { outcomes?.addOriginTime(milliseconds: request.cost) }
  }

  @usableFromInline @inline(never) func put(
    _ request: Request, isStored: Bool, _ victims: VictimList
  ) {
    drop(victims, sparing: request.id)
    if isStored { shelf?.store(request.id, request.size) } else { removed(request.id) }
  }

  private func drop(_ victims: VictimList, sparing id: ObjectID) {
    for place in 0..<victims.count where victims[place] != id { shelf?.drop(victims[place]) }
  }

  @usableFromInline @inline(never) func removed(_ id: ObjectID) {
    shelf?.drop(id)
    shelf?.commitDropped()
  }

  @usableFromInline @inline(never) func renewed() { shelf?.renew() }
}

/// The positions of a simulated disk cache's values in its segments, and the copies made to recycle
/// them, in the order of `DiskCore`: a set writes its value, commits the removal of what left since
/// the last commit, and recycles while too many bytes are dead.
struct SegmentShelf: ~Copyable {
  private struct Retired {
    var place: SegmentLedger.Place
    var extent: UInt64

    init(_ old: Standing) {
      place = SegmentLedger.Place(segment: old.segment, offset: old.offset)
      extent = SegmentLedger.extent(UInt64(old.bytes))
    }
  }

  /// A value at a position: dead if the object has moved.
  private struct Entry {
    var id: ObjectID
    var offset: UInt64
  }

  /// Not private: debug builds of Swift 6.3 fail on a column of a private type.
  struct Standing: BitwiseCopyable {
    var segment: UInt64
    var offset: UInt64
    var bytes: UInt32
    var isStored: Bool
  }

  private let setup: SegmentSetup
  private var ledger: SegmentLedger
  private var standing: Column<Standing>
  private var entries: [UInt64: [Entry]] = [:]
  private var retired: [Retired] = []
  private var doomed = 0
  private var operations = 0
  private var bytes: UInt64 = 0
  private(set) var copies: UInt64 = 0
  private(set) var bytesMoved: UInt64 = 0

  init(_ setup: SegmentSetup, objects: Int) {
    self.setup = setup
    ledger = SegmentLedger(bytesMax: setup.bytes)
    standing = Column(objects: objects)
  }

  var stateBytes: Int {
    standing.bytes
      + entries.values.reduce(0) { $0 + $1.capacity * MemoryLayout<Entry>.stride }
  }

  mutating func resetCounts() {
    copies = 0
    bytesMoved = 0
  }

  func holds(_ id: ObjectID) -> Bool { standing[id].isStored }

  mutating func store(_ id: ObjectID, _ size: UInt32) {
    let place = isAppended(size) ? append(id, size) : nil
    unstore(id)
    standing[id] = Standing(
      segment: place?.segment ?? 0, offset: place?.offset ?? 0, bytes: size, isStored: true)
    operations += 1
    bytes += UInt64(size)
    write()
  }

  mutating func renew() {
    operations += 1
    write()
  }

  mutating func drop(_ id: ObjectID) {
    guard standing[id].isStored else { return }
    unstore(id)
    doomed += 1
  }

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
    if old.segment != 0 { retired.append(Retired(old)) }
    standing[id] = Standing(segment: 0, offset: 0, bytes: 0, isStored: false)
  }

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

  private mutating func recycle(_ segment: UInt64) {
    var moved: [Retired] = []
    for entry in entries[segment] ?? [] {
      let old = standing[entry.id]
      guard old.isStored, old.segment == segment, old.offset == entry.offset else { continue }
      let place = append(entry.id, old.bytes)
      standing[entry.id].segment = place.segment
      standing[entry.id].offset = place.offset
      moved.append(Retired(old))
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
