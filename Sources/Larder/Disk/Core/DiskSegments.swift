/// The segment files of a disk cache: values are appended to the open one.
///
/// The row that is committed after a value is what makes it count, and its checksum is what tells
/// whether it is whole. A place is not written again before its whole segment is free.
final class DiskSegments {
  private static let freeMax = 2
  /// What a longer file counts as: nothing of the cache's is.
  private static let sizeMax: UInt64 = 1 << 40

  private let folder: String
  private let files: any FileLayer
  private let syncs: Bool
  /// 0 where no values are appended; there may be segments all the same.
  private let bytesMax: UInt64
  /// Bytes that a stored value has more than the value.
  var sealBytes: UInt64 = 0
  private var segments: [UInt64: DiskSegment] = [:]
  private var open: UInt64?
  /// Segments without values, to be written over.
  private var free: [UInt64] = []
  private var nextNumber: UInt64 = 1
  /// Segments that are being read without the lock.
  private var pins: [UInt64] = []
  /// Sums over all segments.
  private var size: UInt64 = 0
  private var live: UInt64 = 0
  /// Bytes of values written since the folder was opened.
  private(set) var bytesWritten: UInt64 = 0

  init(folder: String, files: any FileLayer, syncs: Bool, bytesMax: Int) {
    self.folder = folder
    self.files = files
    self.syncs = syncs
    self.bytesMax = UInt64(bytesMax)
  }

  /// The name of a segment below the folder of all values.
  static func name(_ number: UInt64) -> ValueName { ValueName(segment: number) }

  private func path(_ number: UInt64) -> String {
    "\(folder)/s\(String(number, radix: 16))"
  }

  private func change(_ number: UInt64, _ body: (inout DiskSegment) -> Void) {
    guard var segment = segments[number] else { return }
    size -= segment.size
    live -= segment.live
    body(&segment)
    size += segment.size
    live += segment.live
    segments[number] = segment
  }

  // MARK: Writing

  /// Whether a value of so many stored bytes is appended to a segment.
  func takes(_ bytes: Int) -> Bool { DiskSegmentPlace.extent(UInt64(bytes)) <= bytesMax }

  /// Appends a value and returns the number of its place, which no row names yet.
  func write(_ value: UnsafeRawBufferPointer) throws(FileFailure) -> UInt64 {
    let extent = DiskSegmentPlace.extent(UInt64(value.count))
    if let open, let segment = segments[open], segment.end + extent > bytesMax { closeOpen() }
    while true {
      let (number, target) = place()
      let offset = segments[number]?.end ?? 0
      do throws(FileFailure) {
        try files.write(value, to: path(number), at: offset, target, syncs: syncs)
        if syncs, target == .new { try files.syncFolder(folder) }
      } catch {
        change(number) { $0.size = max($0.size, offset + extent) }
        // What a failed write or flush has left of the file is not relied on: nothing is appended.
        open = nil
        if segments[number]?.values == 0 { remove(number) }
        // Somebody has removed it, or put something else in its place.
        guard target == .existing, error.isNoFile else { throw error }
        continue
      }
      bytesWritten += UInt64(value.count)
      change(number) {
        $0.end = offset + extent
        $0.size = max($0.size, $0.end)
        $0.live += extent
        $0.values += 1
      }
      return DiskSegmentPlace(segment: number, offset: offset).number
    }
  }

  /// The open segment; one to write over where none is open, or a new one.
  private func place() -> (UInt64, FileTarget) {
    if let open { return (open, .existing) }
    if let number = free.popLast() {
      change(number) { $0.end = 0 }
      open = number
      return (number, .existing)
    }
    let number = nextNumber
    nextNumber += 1
    segments[number] = DiskSegment()
    open = number
    return (number, .new)
  }

  private func closeOpen() {
    guard let number = open else { return }
    open = nil
    if segments[number]?.values == 0 { release(number, keeps: true) }
  }

  // MARK: Giving up

  /// Gives up a value that no committed row names.
  func retire(_ place: DiskSegmentPlace, bytes: UInt64, keeps: Bool) {
    let extent = DiskSegmentPlace.extent(bytes + sealBytes)
    change(place.segment) {
      $0.live -= min($0.live, extent)
      $0.values -= min($0.values, 1)
    }
    if place.segment != open, segments[place.segment]?.values == 0 {
      release(place.segment, keeps: keeps)
    }
  }

  private func release(_ number: UInt64, keeps: Bool) {
    guard !free.contains(number) else { return }
    guard keeps, bytesMax > 0, free.count < Self.freeMax, !pins.contains(number) else {
      return remove(number)
    }
    change(number) { segment in
      segment.live = 0
      segment.isSpent = false
    }
    free.append(number)
  }

  /// A failure to remove it is left to the next opening; its number is not used again.
  private func remove(_ number: UInt64) {
    try? files.remove(path(number))
    change(number) {
      $0.size = 0
      $0.live = 0
    }
    segments[number] = nil
  }

  /// Whether there are segments that hold nothing.
  var hasSpare: Bool { !free.isEmpty || open.map { segments[$0]?.values == 0 } == true }

  /// Bytes of segments kept for writing over.
  var spareBytes: UInt64 { free.reduce(0) { $0 + (segments[$1]?.size ?? 0) } }

  /// Bytes of the others, dead ones included.
  var usedBytes: UInt64 { size - spareBytes }

  /// Removes segments that hold nothing.
  func removeSpare() {
    closeOpenIfEmpty()
    for number in free { remove(number) }
    free = []
  }

  private func closeOpenIfEmpty() {
    if let open, segments[open]?.values == 0 { closeOpen() }
  }

  /// Sees to it that a segment is not written over until as many `unpin`.
  func pin(_ segment: UInt64) { pins.append(segment) }

  /// Ends one reading of a segment.
  func unpin(_ segment: UInt64) {
    if let place = pins.firstIndex(of: segment) { pins.remove(at: place) }
  }

  // MARK: Recycling

  /// Whether more bytes are dead than may be. The open segment does not count.
  var isWasteful: Bool {
    let current = open.flatMap { segments[$0] } ?? DiskSegment()
    let counted = live - current.live + current.size
    // Damaged rows may name one place twice.
    return usedBytes > counted && usedBytes - counted > bytesMax + live / 3
  }

  /// The segment to recycle: the one with the smallest live share, the oldest of several.
  /// O(segments).
  func victim() -> UInt64? {
    segments.filter {
      $0.key != open && $0.value.values > 0 && !$0.value.isSpent && $0.value.live < $0.value.size
    }.min { first, second in
      let left = Double(first.value.live) / Double(first.value.size)
      let right = Double(second.value.live) / Double(second.value.size)
      return left == right ? first.key < second.key : left < right
    }?.key
  }

  /// Notes that a segment was recycled: if it is still there, something in it cannot be moved.
  func spend(_ number: UInt64) {
    if !free.contains(number) { change(number) { $0.isSpent = true } }
  }

  // MARK: Opening

  /// Removes segments without a named value, and returns the numbers of the places that exist. The
  /// others stay and are not appended to. O(named + segments).
  ///
  /// - Throws: when the folder cannot be listed, so that nothing is known of its files.
  func sweep(
    keeping named: [(place: DiskSegmentPlace, bytes: UInt32)]
  ) throws(FileFailure) -> Set<UInt64> {
    segments = [:]
    (size, live) = (0, 0)
    free = []
    open = nil
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
      segments[number] = DiskSegment()
      let bytes = DiskSegmentPlace.extent(sizes[number] ?? 0)
      change(number) { $0.size = bytes }
    }
    nextNumber = max(nextNumber, largest + 1)
    var found: Set<UInt64> = []
    for (place, bytes) in named {
      let stored = UInt64(bytes) + sealBytes
      guard let size = sizes[place.segment], place.offset + stored <= size else { continue }
      found.insert(place.number)
      change(place.segment) {
        $0.live += DiskSegmentPlace.extent(stored)
        $0.values += 1
      }
    }
    // What holds nothing whole is of no use.
    for number in sizes.keys.sorted() where segments[number]?.values == 0 { remove(number) }
    return found
  }

  /// Lets the system forget what it holds of the segments in memory; see `FileLayer`.
  func dropCached() throws(FileFailure) -> Bool {
    var isKnown = true
    for number in segments.keys.sorted() { isKnown = try files.dropCached(path(number)) && isKnown }
    return isKnown
  }
}
