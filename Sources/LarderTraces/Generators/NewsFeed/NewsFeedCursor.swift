import LarderEngine

/// The requests of a news app, event by event.
///
/// A modify is written only for an object that was requested since it last changed: a further
/// change before the next request could make no copy staler.
final class NewsFeedCursor: RecordCursor {
  private var state: State

  init(_ settings: NewsFeedSettings) { state = State(settings) }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) -> Int {
    state.fill(buffer)
    return buffer.count
  }

  /// A struct, so that a batch is one exclusive access.
  struct State {
    let settings: NewsFeedSettings
    var random: RandomStream
    let rhythm: DayRhythm
    let articles: NewsArticles
    var objects: NewsObjects
    var people: NewsReaders
    var queue = EventQueue()
    let sessionLengths = AliasTable(weights: NewsReading.sessionWeights)
    /// How far readers go back in what they read.
    let recency: ZipfSampler
    /// Whether a change of the feed page is scheduled.
    var feedAwaitsChange: [Bool]
    let feedSizes: [UInt32]
    /// Records of the event under way, and how many have been handed out.
    var burst: [TraceRecord] = []
    var handedOut = 0

    /// The trace begins when the oldest article that can be opened is out.
    static let start = UInt64(NewsArticles.daysMax + 1) * DayRhythm.day

    mutating func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) {
      for index in buffer.indices {
        while handedOut == burst.count {
          burst.removeAll(keepingCapacity: true)
          handedOut = 0
          step()
        }
        buffer[index] = burst[handedOut]
        handedOut += 1
      }
    }
  }
}
