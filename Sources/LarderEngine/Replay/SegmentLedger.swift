/// The books of the segments of a disk cache: where the next value goes, how much of each segment
/// is live, and which one is recycled next.
///
/// `DiskCache` keeps them beside its files and a simulation without any, so both write the same
/// bytes. Values are appended to one open segment. A place is not written again before its whole
/// segment is free.
package struct SegmentLedger: Sendable {
  /// Where a value begins.
  package struct Place: Hashable, Sendable {
    /// The number of the segment.
    package var segment: UInt64
    /// Bytes from its beginning, a multiple of `pageBytes`.
    package var offset: UInt64

    /// A place.
    package init(segment: UInt64, offset: UInt64) {
      self.segment = segment
      self.offset = offset
    }
  }

  /// One segment.
  private struct Segment {
    /// Where the next value begins.
    var end: UInt64 = 0
    /// Bytes of the file in whole pages: one that was written over may be longer than its content.
    var size: UInt64 = 0
    /// Bytes of the pages of live values.
    var live: UInt64 = 0
    /// Live values, those of an open transaction among them.
    var values = 0
    /// Whether it was recycled and something stayed: it is not chosen again.
    var isSpent = false
    /// Bytes before the end that recycling would win. Damaged rows may name one place twice.
    var dead: UInt64 { isSpent || live > end ? 0 : end - live }
  }

  /// Values begin on pages, so no write touches a page that holds an older value.
  package static let pageBytes: UInt64 = 4 << 10
  /// Empty segments that are kept to be written over.
  private static let freeMax = 2

  /// Bytes of a segment; 0 where no values are appended, although there may be segments.
  package let bytesMax: UInt64
  private var segments: [UInt64: Segment] = [:]
  private var open: UInt64?
  /// Segments without values, to be written over.
  private var free: [UInt64] = []
  private var nextNumber: UInt64 = 1
  /// Segments that are being read, each as often as it is.
  private var pins: [UInt64] = []
  /// Sums over all segments.
  private var size: UInt64 = 0
  private var live: UInt64 = 0
  private var dead: UInt64 = 0
  private var gone: [UInt64] = []

  /// No segments. `bytesMax` is a whole number of pages, or any number of bytes: what does not fit
  /// is not appended.
  package init(bytesMax: UInt64) { self.bytesMax = bytesMax }

  /// Bytes of the pages that a value takes.
  package static func extent(_ bytes: UInt64) -> UInt64 {
    max(1, (bytes + pageBytes - 1) / pageBytes) * pageBytes
  }

  /// The numbers of the segments, in no order.
  package var numbers: some Sequence<UInt64> { segments.keys }

  /// Segments that are no longer part of the books since the last call: their files are to be
  /// removed, in this order. Their numbers are not used again.
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

  /// Whether a value of so many bytes is appended to a segment.
  package func takes(_ bytes: UInt64) -> Bool { Self.extent(bytes) <= bytesMax }

  /// Where a value of so many pages goes, and whether its segment is new. Nothing is noted of the
  /// value until `noteWritten`.
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

  /// A value was written to a place that `place` returned.
  package mutating func noteWritten(_ place: Place, extent: UInt64) {
    change(place.segment) {
      $0.end = place.offset + extent
      $0.size = max($0.size, $0.end)
      $0.live += extent
      $0.values += 1
    }
  }

  /// A write to a place that `place` returned has failed. What it left of the segment is not relied
  /// on: nothing is appended to it any more.
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

  // MARK: Giving up

  /// Gives up a value of so many pages. With `keeps`, a segment without values may be kept to be
  /// written over.
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
    // One that is too long, as after an opening with smaller segments, would never be full.
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

  /// Whether there are segments that hold nothing.
  package var hasSpare: Bool { !free.isEmpty || open.map { segments[$0]?.values == 0 } == true }

  /// Bytes of segments kept to be written over.
  package var spareBytes: UInt64 { free.reduce(0) { $0 + (segments[$1]?.size ?? 0) } }

  /// Bytes of the others, dead ones included.
  package var usedBytes: UInt64 { size - spareBytes }

  /// Gives up segments that hold nothing.
  package mutating func removeSpare() {
    if let open, segments[open]?.values == 0 { closeOpen() }
    for number in free { remove(number) }
    free = []
  }

  /// Keeps a segment from being written over until as many `unpin`.
  package mutating func pin(_ segment: UInt64) { pins.append(segment) }

  /// Ends one reading of a segment.
  package mutating func unpin(_ segment: UInt64) {
    if let place = pins.firstIndex(of: segment) { pins.remove(at: place) }
  }

  // MARK: Recycling

  /// Whether more bytes are dead than a third of the live ones plus one segment. The open segment
  /// does not count, nor what is left behind the last value of a segment, nor segments that cannot
  /// be recycled: while copies win nothing, none are made. O(1).
  package var isWasteful: Bool {
    let current = open.flatMap { segments[$0] } ?? Segment()
    return dead - current.dead > bytesMax + live / 3
  }

  /// The segment to recycle: of those with values that were given up, the one with the smallest
  /// live share, the oldest of several. What is left behind the last value is not won by copying:
  /// the same could be left in the next segment, again and again. O(segments).
  package func victim() -> UInt64? {
    segments.filter {
      $0.key != open && $0.value.values > 0 && !$0.value.isSpent && $0.value.live < $0.value.end
    }.min { first, second in
      let left = Double(first.value.live) / Double(first.value.size)
      let right = Double(second.value.live) / Double(second.value.size)
      return left == right ? first.key < second.key : left < right
    }?.key
  }

  /// A segment was recycled: if it is still there, something in it cannot be moved.
  package mutating func spend(_ number: UInt64) {
    if !free.contains(number) { change(number) { $0.isSpent = true } }
  }

  // MARK: Opening

  /// Begins the books anew.
  package mutating func reset() {
    segments = [:]
    (size, live, dead) = (0, 0, 0)
    free = []
    open = nil
    gone = []
  }

  /// A segment was found whose file has so many pages. Nothing is appended to it.
  package mutating func add(_ number: UInt64, size: UInt64) {
    segments[number] = Segment()
    change(number) { ($0.size, $0.end) = (size, size) }
  }

  /// A live value was found in a segment.
  package mutating func noteFound(in segment: UInt64, extent: UInt64) {
    change(segment) {
      $0.live += extent
      $0.values += 1
    }
  }

  /// Ends the search: segments without values are gone, and new ones have numbers above `largest`.
  package mutating func finishOpening(largest: UInt64) {
    nextNumber = max(nextNumber, largest + 1)
    for number in segments.keys.sorted() where segments[number]?.values == 0 { remove(number) }
  }
}

/// How a disk cache appends large values to segment files.
public struct SegmentSetup: Sendable, Hashable {
  /// Bytes of a segment. A larger value has a file of its own.
  public var bytes: UInt64
  /// Values of up to so many bytes are in the rows of a database instead.
  public var inlineBytesMax: UInt64
  /// Sets and removals per commit: dead values are given up after it.
  public var groupWrites: Int
  /// Bytes of values per commit, whatever their number.
  public var groupBytes: UInt64

  /// A setup; by default each set or removal is a commit.
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
