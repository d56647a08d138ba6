/// Segment accounting of a disk cache, next to its files, and of a simulation without files: the
/// position of the next value, the live bytes of each segment, and the order of recycling. A
/// position is not reused before its whole segment is free.
package struct SegmentLedger: Sendable {
  package struct Place: Hashable, Sendable {
    package var segment: UInt64
    /// Bytes from the start of the segment, a multiple of `pageBytes`.
    package var offset: UInt64

    package init(segment: UInt64, offset: UInt64) {
      self.segment = segment
      self.offset = offset
    }
  }

  private struct Segment {
    var end: UInt64 = 0
    /// Bytes of the file in whole pages: the file of a reused segment may be longer than its
    /// content.
    var size: UInt64 = 0
    var live: UInt64 = 0
    var values = 0
    /// True if it was recycled but still holds values: it is not chosen again.
    var isSpent = false
    var dead: UInt64 { isSpent || live > end ? 0 : end - live }
  }

  /// Values start on page boundaries, so a write never touches a page of an older value.
  package static let pageBytes: UInt64 = 4 << 10
  /// The largest number of empty segments kept for reuse.
  private static let freeMax = 2

  /// Bytes of a segment; 0 if no values are appended, although there may be segments.
  package let bytesMax: UInt64
  private var segments: [UInt64: Segment] = [:]
  private var open: UInt64?
  private var free: [UInt64] = []
  private var nextNumber: UInt64 = 1
  private var pins: [UInt64] = []
  private var size: UInt64 = 0
  private var live: UInt64 = 0
  private var dead: UInt64 = 0
  private var gone: [UInt64] = []

  package init(bytesMax: UInt64) { self.bytesMax = bytesMax }

  package static func extent(_ bytes: UInt64) -> UInt64 {
    max(1, (bytes + pageBytes - 1) / pageBytes) * pageBytes
  }

  package var numbers: some Sequence<UInt64> { segments.keys }

  package mutating func takeGone() -> [UInt64] {
    defer { gone.removeAll(keepingCapacity: true) }
    return gone
  }

  private mutating func change(_ number: UInt64, _ body: (inout Segment) -> Void) {
    guard var segment = segments[number] else { return }
    size -= segment.size
    live -= segment.live
    dead -= segment.dead
    body(&segment)
    size += segment.size
    live += segment.live
    dead += segment.dead
    segments[number] = segment
  }

  // MARK: Writing

  package func takes(_ bytes: UInt64) -> Bool { Self.extent(bytes) <= bytesMax }

  package mutating func place(extent: UInt64) -> (place: Place, isNew: Bool) {
    if let open, let segment = segments[open], segment.end + extent > bytesMax { closeOpen() }
    if let open { return (Place(segment: open, offset: segments[open]?.end ?? 0), false) }
    if let number = free.popLast() {
      open = number
      return (Place(segment: number, offset: 0), false)
    }
    let number = nextNumber
    nextNumber += 1
    segments[number] = Segment()
    open = number
    return (Place(segment: number, offset: 0), true)
  }

  package mutating func noteWritten(_ place: Place, extent: UInt64) {
    change(place.segment) {
      $0.end = place.offset + extent
      $0.size = max($0.size, $0.end)
      $0.live += extent
      $0.values += 1
    }
  }

  package mutating func noteFailure(_ place: Place, extent: UInt64) {
    change(place.segment) { $0.size = max($0.size, place.offset + extent) }
    open = nil
    if segments[place.segment]?.values == 0 { remove(place.segment) }
  }

  private mutating func closeOpen() {
    guard let number = open else { return }
    open = nil
    if segments[number]?.values == 0 { release(number, keeps: true) }
  }

  // MARK: Removal

  package mutating func retire(_ place: Place, extent: UInt64, keeps: Bool) {
    change(place.segment) {
      $0.live -= min($0.live, extent)
      $0.values -= min($0.values, 1)
    }
    if place.segment != open, segments[place.segment]?.values == 0 {
      release(place.segment, keeps: keeps)
    }
  }

  private mutating func release(_ number: UInt64, keeps: Bool) {
    guard !free.contains(number) else { return }
    // An oversized one, as after reopening with smaller segments, would never be full.
    let isUsual = segments[number].map { $0.size <= bytesMax } ?? false
    guard keeps, isUsual, free.count < Self.freeMax, !pins.contains(number) else {
      return remove(number)
    }
    change(number) { segment in
      (segment.end, segment.live) = (0, 0)
      segment.isSpent = false
    }
    free.append(number)
  }

  private mutating func remove(_ number: UInt64) {
    change(number) { $0 = Segment() }
    segments[number] = nil
    gone.append(number)
  }

  package var hasSpare: Bool { !free.isEmpty || open.map { segments[$0]?.values == 0 } == true }

  package var spareBytes: UInt64 { free.reduce(0) { $0 + (segments[$1]?.size ?? 0) } }

  package var usedBytes: UInt64 { size - spareBytes }

  package mutating func removeSpare() {
    if let open, segments[open]?.values == 0 { closeOpen() }
    for number in free { remove(number) }
    free = []
  }

  package mutating func pin(_ segment: UInt64) { pins.append(segment) }

  package mutating func unpin(_ segment: UInt64) {
    if let place = pins.firstIndex(of: segment) { pins.remove(at: place) }
  }

  // MARK: Recycling

  /// True if the dead bytes exceed a third of the live ones plus one segment. The open segment,
  /// unused tails of segments, and segments that cannot be recycled do not count: nothing is copied
  /// if that frees nothing. O(1).
  package var isWasteful: Bool {
    let current = open.flatMap { segments[$0] } ?? Segment()
    return dead - current.dead > bytesMax + live / 3
  }

  /// The segment to recycle: the one with the smallest live share among those with dead values, the
  /// oldest of several. Unused tails do not count as free space, because copying could leave the
  /// same tail in the next segment, again and again. O(segments).
  package func victim() -> UInt64? {
    segments.filter {
      $0.key != open && $0.value.values > 0 && !$0.value.isSpent && $0.value.live < $0.value.end
    }.min { first, second in
      let left = Double(first.value.live) / Double(first.value.size)
      let right = Double(second.value.live) / Double(second.value.size)
      return left == right ? first.key < second.key : left < right
    }?.key
  }

  package mutating func spend(_ number: UInt64) {
    if !free.contains(number) { change(number) { $0.isSpent = true } }
  }

  // MARK: Opening

  package mutating func reset() {
    segments = [:]
    (size, live, dead) = (0, 0, 0)
    free = []
    open = nil
    gone = []
  }

  package mutating func add(_ number: UInt64, size: UInt64) {
    segments[number] = Segment()
    change(number) { ($0.size, $0.end) = (size, size) }
  }

  package mutating func noteFound(in segment: UInt64, extent: UInt64) {
    change(segment) {
      $0.live += extent
      $0.values += 1
    }
  }

  package mutating func finishOpening(largest: UInt64) {
    nextNumber = max(nextNumber, largest + 1)
    for number in segments.keys.sorted() where segments[number]?.values == 0 { remove(number) }
  }
}

/// The parameters by which a disk cache appends large values to segment files.
public struct SegmentSetup: Sendable, Hashable {
  /// Bytes of a segment. A larger value gets its own file.
  public var bytes: UInt64
  /// The largest size of values stored in the rows of a database instead.
  public var inlineBytesMax: UInt64
  /// Sets and removals per commit, after which dead values are removed.
  public var groupWrites: Int
  /// Bytes of values per commit, regardless of their number.
  public var groupBytes: UInt64

  /// Creates a setup; by default each set or removal is a commit.
  public init(
    bytes: UInt64, inlineBytesMax: UInt64 = 20 << 10, groupWrites: Int = 1,
    groupBytes: UInt64 = .max
  ) {
    self.bytes = bytes
    self.inlineBytesMax = inlineBytesMax
    self.groupWrites = groupWrites
    self.groupBytes = groupBytes
  }
}
