import LarderEngine

/// The segment files of a disk cache: values are appended to the open one.
///
/// A value counts only once a row for it is committed, and its checksum shows if it is intact.
/// `SegmentLedger` decides where values are written and which segment is recycled.
final class SegmentFiles: ValueStore {
  private static let sizeMax: UInt64 = 1 << 40

  private let folder: String
  private let files: any FileLayer
  private let syncs: Bool
  private var ledger: SegmentLedger
  private var ids: [UInt64: [ObjectID]] = [:]
  var sealBytes: UInt64 = 0
  private(set) var bytesWritten: UInt64 = 0

  init(folder: String, files: any FileLayer, syncs: Bool, bytesMax: Int) {
    self.folder = folder
    self.files = files
    self.syncs = syncs
    ledger = SegmentLedger(bytesMax: UInt64(bytesMax))
  }

  private func place(_ number: UInt64) -> SegmentPlace {
    SegmentPlace(number) ?? SegmentPlace(segment: 0, offset: 0)
  }

  private func path(_ number: UInt64) -> String { "\(folder)/s\(String(number, radix: 16))" }

  private func change<Result>(_ body: (inout SegmentLedger) -> Result) -> Result {
    let result = body(&ledger)
    for number in ledger.takeGone() {
      ids[number] = nil
      try? files.remove(path(number))
    }
    return result
  }

  // MARK: Writing

  func takes(_ bytes: Int) -> Bool { ledger.takes(UInt64(bytes)) }

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
        // The file was removed or replaced by something else.
        guard !isNew, error.isNoFile else { throw error }
        continue
      }
      bytesWritten += UInt64(value.count)
      // The first value of a new or reused segment.
      if place.offset == 0 { ids[place.segment] = [] }
      change { $0.noteWritten(place, extent: extent) }
      return place.number
    }
  }

  // MARK: Reclaiming

  func retire(_ number: UInt64, bytes: UInt64, keeps: Bool) {
    let (place, extent) = (place(number), SegmentLedger.extent(bytes + sealBytes))
    change { $0.retire(place, extent: extent, keeps: keeps) }
  }

  var hasSpare: Bool { ledger.hasSpare }

  var spareBytes: UInt64 { ledger.spareBytes }

  var usedBytes: UInt64 { ledger.usedBytes }

  func removeSpare() { change { $0.removeSpare() } }

  func pin(_ number: UInt64) { ledger.pin(place(number).segment) }

  func unpin(_ number: UInt64) { ledger.unpin(place(number).segment) }

  // MARK: Recycling

  func note(_ id: ObjectID, at number: UInt64) {
    ids[place(number).segment, default: []].append(id)
  }

  func ids(in segment: UInt64) -> [ObjectID] { ids[segment] ?? [] }

  /// Ids of the entries whose values are in a segment, ordered by offset, which makes the order
  /// independent of how ids were assigned. O(n log n) in the values of the segment.
  ///
  /// - Parameter number: Returns the number of an entry's value.
  func ids(in segment: UInt64, _ number: (ObjectID) -> UInt64) -> [ObjectID] {
    Set(ids(in: segment)).map { (id: $0, number: number($0)) }
      .filter { SegmentPlace($0.number)?.segment == segment }
      .sorted { $0.number < $1.number }.map(\.id)
  }

  var isWasteful: Bool { ledger.isWasteful }

  func victim() -> UInt64? { ledger.victim() }

  func spend(_ number: UInt64) { ledger.spend(number) }

  // MARK: Opening

  func sweep(keeping values: [StoredValue]) throws(FileFailure) -> Set<UInt64> {
    ledger.reset()
    ids = [:]
    let named = values.map { (place: place($0.number), bytes: $0.bytes) }
    let wanted = Set(named.lazy.map(\.place.segment))
    var largest: UInt64 = 0
    var sizes: [UInt64: UInt64] = [:]
    for item in try files.list(folder) where item.name.hasPrefix("s") {
      let number = UInt64(item.name.dropFirst(), radix: 16)
        .flatMap { $0 <= SegmentPlace.segmentMax ? $0 : nil }
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
    // Segments without an intact value are useless.
    change { $0.finishOpening(largest: largest) }
    return found
  }

  func removeFiles() throws(FileFailure) {
    try files.removeFiles(in: folder) { name in
      guard name.hasPrefix("s"), let number = UInt64(name.dropFirst(), radix: 16) else {
        return false
      }
      return path(number) == "\(folder)/\(name)"
    }
  }
}

typealias SegmentPlace = SegmentLedger.Place

/// A place as the number of a value.
extension SegmentPlace {
  static var segmentMax: UInt64 { 1 << 39 }
  private static var flag: UInt64 { 1 << 61 }
  private static var pageBits: UInt64 { 20 }

  init?(_ number: UInt64) {
    guard number & Self.flag != 0 else { return nil }
    self.init(
      segment: (number ^ Self.flag) >> Self.pageBits,
      offset: (number & (1 << Self.pageBits - 1)) * SegmentLedger.pageBytes)
  }

  var number: UInt64 { Self.flag | segment << Self.pageBits | offset / SegmentLedger.pageBytes }
}
