/// The objects behind the articles that can still be opened: their keys, given in the order of
/// first request, and their sizes, which hang on the article alone.
struct NewsObjects {
  /// What is known of an article that has been requested.
  struct Entry {
    /// The article; another one with the same slot replaces it.
    var article = UInt64.max
    var thumbnailKey = UInt32.max
    var bodyKey = UInt32.max
    var thumbnailSize: UInt32 = 0
    var bodySize: UInt32 = 0
    /// Whether an update of the body is scheduled: it was requested since it last changed.
    var awaitsUpdate = false
  }

  private var entries: [Entry]
  private let slots: UInt64
  private let thumbnails: ValueDistribution
  private let bodies: ValueDistribution
  private let seed: UInt64
  private var nextKey: UInt32

  /// Objects with keys from `firstKey` on.
  init(
    articlesPerDay: Int, thumbnails: ValueDistribution, bodies: ValueDistribution, seed: UInt64,
    firstKey: UInt32
  ) {
    // Two days more than articles are opened, so that nothing alive is ever replaced.
    slots = UInt64(articlesPerDay * (NewsArticles.daysMax + 2))
    entries = [Entry](repeating: Entry(), count: Int(slots))
    self.thumbnails = thumbnails
    self.bodies = bodies
    self.seed = RandomStream.derived(seed, 0x0b7e)
    nextKey = firstKey
  }

  /// The slot of an article, made its own.
  mutating func slot(of article: UInt64) -> Int {
    let slot = Int(article % slots)
    if entries[slot].article != article {
      entries[slot] = Entry(
        article: article,
        thumbnailSize: thumbnails.value(RandomStream.derived(seed, 2 &* article)),
        bodySize: bodies.value(RandomStream.derived(seed, 2 &* article &+ 1)))
    }
    return slot
  }

  /// The thumbnail's key and size.
  mutating func thumbnail(_ slot: Int) -> (key: UInt32, size: UInt32) {
    if entries[slot].thumbnailKey == .max {
      entries[slot].thumbnailKey = nextKey
      nextKey &+= 1
    }
    return (entries[slot].thumbnailKey, entries[slot].thumbnailSize)
  }

  /// The body's key and size.
  mutating func body(_ slot: Int) -> (key: UInt32, size: UInt32) {
    if entries[slot].bodyKey == .max {
      entries[slot].bodyKey = nextKey
      nextKey &+= 1
    }
    return (entries[slot].bodyKey, entries[slot].bodySize)
  }

  /// Notes that an update of the body will come. False when one is already to come.
  mutating func expectUpdate(_ slot: Int) -> Bool {
    if entries[slot].awaitsUpdate { return false }
    entries[slot].awaitsUpdate = true
    return true
  }

  /// The update has come.
  mutating func updated(_ slot: Int) { entries[slot].awaitsUpdate = false }
}
