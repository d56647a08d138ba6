/// The people who read: where each is in a session, and what they read last.
struct NewsReaders {
  /// What a reader does next.
  enum Step: UInt8 {
    /// Opens the app only to look at the feed.
    case glance
    /// Opens the app to read.
    case open
    /// Opens an article.
    case view
    /// Opens again what was just read.
    case back
  }

  /// Where a reader is.
  struct Reader {
    var step = Step.open
    /// Articles still to be opened before the app is closed.
    var left: UInt8 = 0
    /// Pages of the feed seen since the app was opened.
    var page: UInt8 = 0
    /// When the step after the next is due, where the next is a glance or going back.
    var later: UInt64 = 0
    /// Articles read so far.
    var reads: UInt64 = 0
  }

  var readers: [Reader]
  /// For each reader the articles read last, the newest at `reads - 1` modulo `memory`.
  private var history: [UInt64]
  private let memory: Int
  /// The history of a lone reader as a set: theirs is long, and scanning it took half of the time.
  private var remembered: Set<UInt64> = []

  /// Readers of whom the last `memory` articles are remembered.
  init(count: Int, memory: Int) {
    readers = [Reader](repeating: Reader(), count: count)
    history = [UInt64](repeating: .max, count: count * memory)
    self.memory = memory
  }

  /// Whether the reader has read the article and would remember it. Complexity: O(1) for a lone
  /// reader, O(memory) otherwise.
  func hasRead(_ reader: Int, _ article: UInt64) -> Bool {
    if readers.count == 1 { return remembered.contains(article) }
    return history[reader * memory..<(reader + 1) * memory].contains(article)
  }

  /// Notes that the reader reads the article.
  mutating func read(_ reader: Int, _ article: UInt64) {
    let place = reader * memory + Int(readers[reader].reads % UInt64(memory))
    if readers.count == 1 {
      remembered.remove(history[place])
      remembered.insert(article)
    }
    history[place] = article
    readers[reader].reads += 1
  }

  /// The article read `back` articles ago, 0 for the last; nil when that is beyond memory.
  func lastRead(_ reader: Int, back: Int) -> UInt64? {
    let reads = readers[reader].reads
    guard back < memory, UInt64(back) < reads else { return nil }
    return history[reader * memory + Int((reads - 1 - UInt64(back)) % UInt64(memory))]
  }
}
