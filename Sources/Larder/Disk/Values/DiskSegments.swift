import LarderEngine

/// The segment files of a disk cache: values are appended to the open one.
///
/// The row that is committed after a value is what makes it count, and its checksum is what tells
/// whether it is whole. `SegmentLedger` decides where values go and which segment is recycled.
final class DiskSegments {
  /// What a longer file counts as: nothing of the cache's is.
  private static let sizeMax: UInt64 = 1 << 40

  private let folder: String
  private let files: any FileLayer
  private let syncs: Bool
  private var ledger: SegmentLedger
  /// The entries whose values were appended to each segment, in that order, those that are gone
  /// since among them. As many as values fit in the segments.
  private var ids: [UInt64: [ObjectID]] = [:]
  /// Bytes that a stored value has more than the value.
  var sealBytes: UInt64 = 0
  /// Bytes of values written since the folder was opened.
  private(set) var bytesWritten: UInt64 = 0

  init(folder: String, files: any FileLayer, syncs: Bool, bytesMax: Int) {
    self.folder = folder
    self.files = files
    self.syncs = syncs
    ledger = SegmentLedger(bytesMax: UInt64(bytesMax))
  }

  /// The name of a segment below the folder of all values.
  static func name(_ number: UInt64) -> ValueName { ValueName(segment: number) }

  private func path(_ number: UInt64) -> String {
    "\(folder)/s\(String(number, radix: 16))"
  }

  /// Changes the books and removes the files of segments that are gone. A failure to remove one is
  /// left to the next opening.
  private func change<Result>(_ body: (inout SegmentLedger) -> Result) -> Result {
    let result = body(&ledger)
    for number in ledger.takeGone() {
      ids[number] = nil
      try? files.remove(path(number))
    }
    return result
  }

  // MARK: Writing

  /// Whether a value of so many stored bytes is appended to a segment.
  func takes(_ bytes: Int) -> Bool { ledger.takes(UInt64(bytes)) }

  /// Appends a value and returns the number of its place, which no row names yet.
  func write(_ value: UnsafeRawBufferPointer) throws(FileFailure) -> UInt64 {
    let extent = SegmentLedger.extent(UInt64(value.count))
    while true {
      let (place, isNew) = change { $0.place(extent: extent) }
      do throws(FileFailure) {
        try files.write(
          value, to: path(place.segment), at: place.offset, isNew ? .new : .existing, syncs: syncs)
        if syncs, isNew { try files.syncFolder(folder) }
      } catch {
        change { $0.noteFailure(place, extent: extent) }
        // Somebody has removed it, or put something else in its place.
        guard !isNew, error.isNoFile else { throw error }
        continue
      }
      bytesWritten += UInt64(value.count)
      // The first value of a segment that is new, or used again.
      if place.offset == 0 { ids[place.segment] = [] }
      change { $0.noteWritten(place, extent: extent) }
      return DiskSegmentPlace(segment: place.segment, offset: place.offset).number
    }
  }

  // MARK: Giving up

  /// Gives up a value that no committed row names.
  func retire(_ place: DiskSegmentPlace, bytes: UInt64, keeps: Bool) {
    let extent = SegmentLedger.extent(bytes + sealBytes)
    change {
      $0.retire(
        SegmentLedger.Place(segment: place.segment, offset: place.offset), extent: extent,
        keeps: keeps)
    }
  }

  /// Whether there are segments that hold nothing.
  var hasSpare: Bool { ledger.hasSpare }

  /// Bytes of segments kept for writing over.
  var spareBytes: UInt64 { ledger.spareBytes }

  /// Bytes of the others, dead ones included.
  var usedBytes: UInt64 { ledger.usedBytes }

  /// Removes segments that hold nothing.
  func removeSpare() { change { $0.removeSpare() } }

  /// Sees to it that a segment is not written over until as many `unpin`.
  func pin(_ segment: UInt64) { ledger.pin(segment) }

  /// Ends one reading of a segment.
  func unpin(_ segment: UInt64) { ledger.unpin(segment) }

  // MARK: Recycling

  /// Notes that a place holds the value of an entry.
  func note(_ id: ObjectID, at place: DiskSegmentPlace) {
    ids[place.segment, default: []].append(id)
  }

  /// The entries whose values may be in a segment, each once for each value.
  func ids(in segment: UInt64) -> [ObjectID] { ids[segment] ?? [] }

  /// Whether more bytes are dead than may be.
  var isWasteful: Bool { ledger.isWasteful }

  /// The segment to recycle. O(segments).
  func victim() -> UInt64? { ledger.victim() }

  /// Notes that a segment was recycled: if it is still there, something in it cannot be moved.
  func spend(_ number: UInt64) { ledger.spend(number) }

  // MARK: Opening

  /// Removes segments without a named value, and returns the numbers of the places that exist. The
  /// others stay and are not appended to. O(named + segments).
  ///
  /// - Throws: when the folder cannot be listed, so that nothing is known of its files.
  func sweep(
    keeping named: [(place: DiskSegmentPlace, bytes: UInt32)]
  ) throws(FileFailure) -> Set<UInt64> {
    ledger.reset()
    ids = [:]
    let wanted = Set(named.lazy.map(\.place.segment))
    var largest: UInt64 = 0
    var sizes: [UInt64: UInt64] = [:]
    for item in try files.list(folder) where item.name.hasPrefix("s") {
      let number = UInt64(item.name.dropFirst(), radix: 16)
        .flatMap { $0 <= DiskSegmentPlace.segmentMax ? $0 : nil }
      if let number { largest = max(largest, number) }
      let path = "\(folder)/\(item.name)"
      guard item.kind == .file, let number, wanted.contains(number), path == self.path(number)
      else {
        try? files.removeTree(path)
        continue
      }
      sizes[number] = min(try files.size(path), Self.sizeMax)
      ledger.add(number, size: SegmentLedger.extent(sizes[number] ?? 0))
    }
    var found: Set<UInt64> = []
    for (place, bytes) in named {
      let stored = UInt64(bytes) + sealBytes
      guard let size = sizes[place.segment], place.offset + stored <= size else { continue }
      found.insert(place.number)
      ledger.noteFound(in: place.segment, extent: SegmentLedger.extent(stored))
    }
    // What holds nothing whole is of no use.
    change { $0.finishOpening(largest: largest) }
    return found
  }

  /// Lets the system forget what it holds of the segments in memory; see `FileLayer`.
  func dropCached() throws(FileFailure) -> Bool {
    var isKnown = true
    for number in ledger.numbers.sorted() {
      isKnown = try files.dropCached(path(number)) && isKnown
    }
    return isKnown
  }
}

/// Where a value begins in a segment. Rows name it by a number that no file of a single value has.
struct DiskSegmentPlace: Hashable {
  /// The largest number of a segment that is taken for one, far from where counting ends.
  static var segmentMax: UInt64 { 1 << 39 }
  private static var flag: UInt64 { 1 << 61 }
  private static var pageBits: UInt64 { 20 }

  var segment: UInt64
  /// A multiple of `SegmentLedger.pageBytes`.
  var offset: UInt64

  init(segment: UInt64, offset: UInt64) {
    self.segment = segment
    self.offset = offset
  }

  /// Nil for the number of a file of a single value.
  init?(_ number: UInt64) {
    guard number & Self.flag != 0 else { return nil }
    segment = (number ^ Self.flag) >> Self.pageBits
    offset = (number & (1 << Self.pageBits - 1)) * SegmentLedger.pageBytes
  }

  var number: UInt64 { Self.flag | segment << Self.pageBits | offset / SegmentLedger.pageBytes }
}
