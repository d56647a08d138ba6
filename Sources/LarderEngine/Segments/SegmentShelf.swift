/// Which values of a simulated disk cache stand where in its segments, and what was copied to
/// recycle them: the steps of `DiskCore`, in its order.
///
/// A set writes its value, then commits what has left the cache since the last commit and the value
/// that it replaces, and then recycles segments while too many bytes are dead.
struct SegmentShelf: ~Copyable {
  /// A value that no committed row will name.
  private struct Retired {
    var place: SegmentLedger.Place
    var extent: UInt64
  }

  /// A value at a place: dead where the object is elsewhere by now.
  private struct Entry {
    var id: ObjectID
    var offset: UInt64
  }

  /// Where an object's value is. Not private: debug builds of Swift 6.3 fail on a column of a
  /// private type.
  struct Standing: BitwiseCopyable {
    /// 0 where it is in no segment.
    var segment: UInt64
    var offset: UInt64
    var bytes: UInt32
    /// Whether there is a row of it.
    var isStored: Bool
  }

  private let setup: SegmentSetup
  private var ledger: SegmentLedger
  private var standing: Column<Standing>
  /// What was written to each segment since it was empty, in order.
  private var entries: [UInt64: [Entry]] = [:]
  private var retired: [Retired] = []
  /// Objects whose rows go with the next write.
  private var doomed = 0
  private var operations = 0
  private var bytes: UInt64 = 0
  /// Values copied, and their bytes.
  private(set) var copies: UInt64 = 0
  private(set) var bytesMoved: UInt64 = 0

  /// Empty segments for objects with ids up to `objects`.
  init(_ setup: SegmentSetup, objects: Int) {
    self.setup = setup
    ledger = SegmentLedger(bytesMax: setup.bytes)
    standing = Column(objects: objects)
  }

  /// Memory held, in bytes, roughly.
  var stateBytes: Int {
    standing.bytes
      + entries.values.reduce(0) { $0 + $1.capacity * MemoryLayout<Entry>.stride }
  }

  /// Sets what was counted to zero.
  mutating func resetCounts() {
    copies = 0
    bytesMoved = 0
  }

  /// Whether there is a value of an object.
  func holds(_ id: ObjectID) -> Bool { standing[id].isStored }

  /// Stores a value in place of the one that is there.
  mutating func store(_ id: ObjectID, _ size: UInt32) {
    let place = isAppended(size) ? append(id, size) : nil
    unstore(id)
    standing[id] = Standing(
      segment: place?.segment ?? 0, offset: place?.offset ?? 0, bytes: size, isStored: true)
    operations += 1
    bytes += UInt64(size)
    write()
  }

  /// Writes another expiry of a stored object, which changes its row alone.
  mutating func renew() {
    operations += 1
    write()
  }

  /// The value of an object, if there is one, goes with the next commit.
  mutating func drop(_ id: ObjectID) {
    guard standing[id].isStored else { return }
    unstore(id)
    doomed += 1
  }

  /// Commits what was dropped, if anything was.
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

  /// Ends a write: commits where the group is full, and recycles.
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
