/// memcached's memory: pages, each cut into chunks of one size, which a class of sizes has for
/// itself. A class takes pages while there are any and keeps them; it may always have one.
struct SlabClasses: ~Copyable {
  /// Classes at most.
  static var countMax: Int { 63 }

  /// How many classes there are.
  let count: UInt32
  /// The largest item.
  let itemMax: UInt64
  // Chunks are limited; a cache that counts objects has one class without a limit.
  private let isLimited: Bool
  private let pagesMax: UInt64
  private var pagesTaken: UInt64 = 0
  private var chunkSizes: Column<UInt32>
  private var chunksPerPage: Column<UInt64>
  private var pages: Column<UInt64>
  private var used: Column<UInt64>

  /// One class without a limit, for items that all weigh the same.
  init() {
    count = 1
    itemMax = .max
    isLimited = false
    pagesMax = 0
    chunkSizes = Column(objects: 0)
    chunksPerPage = Column(objects: 0)
    pages = Column(objects: 0)
    used = Column(objects: 1)
  }

  /// Classes of chunks from `first` bytes on, each `factor` times as large as the one before and
  /// rounded up to 8 bytes, up to half a page. `page` is a multiple of 16, and `first` at most half
  /// of it. All in bytes.
  init(capacity: UInt64, page: UInt32, first: UInt32, factor: Double) {
    let largest = page / 2
    chunkSizes = Column(objects: Self.countMax)
    chunksPerPage = Column(objects: Self.countMax)
    pages = Column(objects: Self.countMax)
    used = Column(objects: Self.countMax)
    var (next, classes) = (first, UInt32(0))
    while classes + 1 < Self.countMax, Double(next) < Double(largest) / factor {
      chunkSizes[classes] = (next + 7) / 8 * 8
      next = UInt32(Double(chunkSizes[classes]) * factor)
      classes += 1
    }
    chunkSizes[classes] = largest
    count = classes + 1
    for slab in 0..<count { chunksPerPage[slab] = UInt64(page / chunkSizes[slab]) }
    itemMax = UInt64(page)
    pagesMax = capacity / UInt64(page)
    isLimited = true
  }

  /// The class of an item: that of the smallest chunk that holds it. Items above the largest chunk
  /// take several of these. O(log classes).
  func slab(of bytes: UInt32) -> UInt32 {
    var (low, high) = (UInt32(0), count - 1)
    while low < high {
      let middle = (low + high) / 2
      if chunkSizes[middle] >= bytes { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// The chunks that an item of a class takes.
  func chunks(_ bytes: UInt32, in slab: UInt32) -> UInt64 {
    guard isLimited, bytes > chunkSizes[slab] else { return 1 }
    let size = UInt64(chunkSizes[slab])
    return (UInt64(bytes) + size - 1) / size
  }

  /// Takes pages for a class until it has so many chunks more or there are no pages. O(pages).
  mutating func grow(_ slab: UInt32, for chunks: UInt64) {
    guard isLimited else { return }
    while !hasRoom(in: slab, for: chunks), pages[slab] == 0 || pagesTaken < pagesMax {
      pages[slab] += 1
      pagesTaken += 1
    }
  }

  /// Whether a class has so many free chunks.
  func hasRoom(in slab: UInt32, for chunks: UInt64 = 0) -> Bool {
    !isLimited || used[slab] + chunks <= pages[slab] * chunksPerPage[slab]
  }

  /// An item of a class is stored.
  mutating func take(_ bytes: UInt32, in slab: UInt32) { used[slab] += chunks(bytes, in: slab) }

  /// An item of a class leaves.
  mutating func give(_ bytes: UInt32, in slab: UInt32) { used[slab] -= chunks(bytes, in: slab) }

  /// Memory held, in bytes.
  var bytes: Int { chunkSizes.bytes + chunksPerPage.bytes + pages.bytes + used.bytes }
}
