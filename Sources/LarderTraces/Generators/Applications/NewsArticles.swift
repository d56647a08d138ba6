/// Articles of a publisher, and the choice of the next one to be opened, by rejection: a day by the
/// maximum demand for its articles at their age, a rank on it by popularity, accepted with the
/// ratio of its actual demand to that maximum.
struct NewsArticles: Sendable {
  static let daysMax = 30

  let perDay: UInt64
  private let rhythm: DayRhythm
  private let sampler: ZipfSampler
  private let order: Permutation
  private let seed: UInt64
  private let timeOfDay: [UInt64]
  private let demand: [Double]
  private let envelopes: [[Double]]
  private let oldViews: UInt64

  init(
    perDay: Int, popularity: (exponent: Double, shift: Double), oldViews: Double,
    rhythm: DayRhythm, seed: UInt64
  ) {
    self.perDay = UInt64(perDay)
    self.rhythm = rhythm
    self.seed = RandomStream.derived(seed, 0xa871)
    self.oldViews = RandomStream.threshold(oldViews)
    sampler = ZipfSampler(
      count: perDay, exponent: popularity.exponent, shift: popularity.shift)
    order = Permutation(count: perDay, seed: seed)
    timeOfDay = (0..<perDay).map { rhythm.time(at: (Double($0) + 0.5) / Double(perDay)) }
    var demand: [Double] = []
    for (hours, weight) in NewsReading.ageWeights {
      while demand.count < hours { demand.append(weight) }
    }
    self.demand = demand
    envelopes = (0..<24).map { hour in
      var sum = 0.0
      return (0...Self.daysMax).map { daysAgo in
        let youngest = daysAgo == 0 ? 0 : 24 * (daysAgo - 1) + hour
        let oldest = min(24 * daysAgo + hour, demand.count - 1)
        sum += youngest > oldest ? 0 : demand[youngest...oldest].reduce(0, max)
        return sum
      }
    }
  }

  func published(_ article: UInt64) -> UInt64 {
    let (day, place) = article.quotientAndRemainder(dividingBy: perDay)
    return day * DayRhythm.day + timeOfDay[Int(place)]
  }

  func choose(at time: UInt64, _ random: inout RandomStream) -> UInt64 {
    let (today, rest) = time.quotientAndRemainder(dividingBy: DayRhythm.day)
    if random.happens(oldViews) { return chooseOld(at: time, &random) }
    let envelope = envelopes[Int(rest / 3_600_000_000)]
    while true {
      let level = random.nextUnit() * envelope[Self.daysMax]
      var daysAgo = 0
      while daysAgo < Self.daysMax, envelope[daysAgo] <= level { daysAgo += 1 }
      let day = today - UInt64(daysAgo)
      let place = order((sampler.rank(&random) - 1 + rotation(of: day)) % perDay)
      let published = day * DayRhythm.day + timeOfDay[Int(place)]
      guard published <= time else { continue }
      let age = Int((time - published) / 3_600_000_000)
      guard age < demand.count else { continue }
      let most = envelope[daysAgo] - (daysAgo == 0 ? 0 : envelope[daysAgo - 1])
      if random.nextUnit() * most <= demand[age] { return day * perDay + place }
    }
  }

  func chooseNew(at time: UInt64, _ random: inout RandomStream) -> UInt64 {
    // The number of articles by the even clock is exact except for the half position between them.
    let next = UInt64(rhythm.activity(at: time) * Double(perDay) + 0.5)
    return next - 1 - random.next(below: NewsReading.newest)
  }

  private func chooseOld(at time: UInt64, _ random: inout RandomStream) -> UInt64 {
    let youngest = rhythm.activity(at: time - 7 * DayRhythm.day)
    let oldest = rhythm.activity(at: time - UInt64(Self.daysMax) * DayRhythm.day)
    return UInt64((oldest + random.nextUnit() * (youngest - oldest)) * Double(perDay))
  }

  private func rotation(of day: UInt64) -> UInt64 { RandomStream.derived(seed, day) % perDay }
}

/// Objects of the articles that can still be opened; their sizes depend only on the article.
struct NewsObjects {
  struct Entry {
    /// The article, until another one takes over the slot.
    var article = UInt64.max
    var thumbnailKey = UInt32.max
    var bodyKey = UInt32.max
    var thumbnailSize: UInt32 = 0
    var bodySize: UInt32 = 0
    /// True if an update is scheduled, because the body was requested since it last changed.
    var awaitsUpdate = false
  }

  private var entries: [Entry]
  private let slots: UInt64
  private let thumbnails: ValueDistribution
  private let bodies: ValueDistribution
  private let seed: UInt64
  private var nextKey: UInt32

  init(
    articlesPerDay: Int, thumbnails: ValueDistribution, bodies: ValueDistribution, seed: UInt64,
    firstKey: UInt32
  ) {
    // Two days more than articles are opened, so live articles are never replaced.
    slots = UInt64(articlesPerDay * (NewsArticles.daysMax + 2))
    entries = [Entry](repeating: Entry(), count: Int(slots))
    self.thumbnails = thumbnails
    self.bodies = bodies
    self.seed = RandomStream.derived(seed, 0x0b7e)
    nextKey = firstKey
  }

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

  mutating func thumbnail(_ slot: Int) -> (key: UInt32, size: UInt32) {
    (key(\.thumbnailKey, slot), entries[slot].thumbnailSize)
  }

  mutating func body(_ slot: Int) -> (key: UInt32, size: UInt32) {
    (key(\.bodyKey, slot), entries[slot].bodySize)
  }

  private mutating func key(_ path: WritableKeyPath<Entry, UInt32>, _ slot: Int) -> UInt32 {
    if entries[slot][keyPath: path] == .max {
      entries[slot][keyPath: path] = nextKey
      nextKey &+= 1
    }
    return entries[slot][keyPath: path]
  }

  /// Schedules an update of the body; false if one is already scheduled.
  mutating func expectUpdate(_ slot: Int) -> Bool {
    if entries[slot].awaitsUpdate { return false }
    entries[slot].awaitsUpdate = true
    return true
  }

  mutating func updated(_ slot: Int) { entries[slot].awaitsUpdate = false }
}

struct NewsReaders {
  enum Step: UInt8 {
    /// Opens the app only to look at the feed.
    case glance
    case open
    case view
    case back
  }

  struct Reader {
    var step = Step.open
    /// Articles left to open before the app is closed.
    var left: UInt8 = 0
    var page: UInt8 = 0
    /// Time of the step after next, if the next one is a glance or going back.
    var later: UInt64 = 0
    var reads: UInt64 = 0
  }

  var readers: [Reader]
  /// Last articles read by each reader, the newest at `reads - 1` modulo `memory`.
  private var history: [UInt64]
  private let memory: Int
  /// History of a single reader as a set: it is long, and scanning it took half of the run time.
  private var remembered: Set<UInt64> = []

  init(count: Int, memory: Int) {
    readers = [Reader](repeating: Reader(), count: count)
    history = [UInt64](repeating: .max, count: count * memory)
    self.memory = memory
  }

  func hasRead(_ reader: Int, _ article: UInt64) -> Bool {
    if readers.count == 1 { return remembered.contains(article) }
    return history[reader * memory..<(reader + 1) * memory].contains(article)
  }

  mutating func read(_ reader: Int, _ article: UInt64) {
    let place = reader * memory + Int(readers[reader].reads % UInt64(memory))
    if readers.count == 1 {
      remembered.remove(history[place])
      remembered.insert(article)
    }
    history[place] = article
    readers[reader].reads += 1
  }

  /// The article read `back` articles ago, 0 for the last; nil if it is no longer remembered.
  func lastRead(_ reader: Int, back: Int) -> UInt64? {
    let reads = readers[reader].reads
    guard back < memory, UInt64(back) < reads else { return nil }
    return history[reader * memory + Int((reads - 1 - UInt64(back)) % UInt64(memory))]
  }
}

/// Measured reading behaviour: page views of a large news portal (G1, October 2017; 16 days, 3.0
/// million views, 46,033 articles, 322,897 readers), summarised in these figures.
enum NewsReading {
  /// Shares of the views by hour of day, UTC, of readers in UTC-3.
  static let hours = [
    0.042, 0.040, 0.032, 0.021, 0.011, 0.006, 0.005, 0.006, 0.011, 0.024, 0.043, 0.062, 0.054,
    0.056, 0.061, 0.063, 0.067, 0.064, 0.064, 0.064, 0.060, 0.051, 0.047, 0.045,
  ]

  /// Relative probability that an article is viewed, by age: an upper age in hours and a weight,
  /// fitted to the measured ages of views. The last is a third of the measured one: the rest is
  /// views of old articles of any kind.
  static let ageWeights: [(untilHours: Int, weight: Double)] = [
    (1, 1.467), (2, 1.015), (4, 1.332), (8, 1.619), (12, 1.310), (24, 1), (48, 0.5054),
    (96, 0.14575), (168, 0.04738), (720, 0.000668),
  ]

  /// Articles published per day; measured 1,500 to 5,000, median 2,900.
  static let articles = 2900

  /// Popularity among the articles of one day, 1 / (rank + shift)^exponent, fitted to the views of
  /// a day, which are of articles of many days.
  static let popularity = (exponent: 1.9, shift: 3.0)

  /// Share of the views of any article from 7 to 30 days old, fitted to those viewed once a day.
  static let oldViews = "1.2%"

  /// Article views of a session, from 2 up.
  static let sessionWeights = [0.62, 0.20, 0.09, 0.04, 0.02, 0.012, 0.01, 0.005, 0.003]

  /// Exponent of Zipf's law over how many articles ago the reopened one was read: our choice.
  static let backExponent = 1.3

  /// Number of the newest articles that compete for the feed's newest entries: our choice.
  static let newest: UInt64 = 40

  /// Seconds between two views of a session; both extremes are our choice.
  static let viewGaps = QuantileTable([(0, 4), (0.5, 30), (0.75, 122), (0.9, 336), (1, 1500)])

  /// Hours between a reader's sessions; both extremes are our choice.
  static let sessionGaps = QuantileTable([
    (0, 0.6), (0.1, 2), (0.25, 7.5), (0.5, 24), (0.75, 66), (1, sessionGapMax),
  ])
  static let sessionGapMax = 240.0
}

/// Clock at whose constant rate events follow the hourly shares of a day in real time.
struct DayRhythm: Sendable {
  static let day: UInt64 = 86_400_000_000
  private static let daysMax = 1e8
  private static let hour = 3_600_000_000.0

  private let shares: [Double]
  private let before: [Double]

  init(hours: [Double]) {
    let total = hours.reduce(0, +)
    shares = hours.map { $0 / total }
    before = shares.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
  }

  func activity(at time: UInt64) -> Double {
    let (days, rest) = time.quotientAndRemainder(dividingBy: Self.day)
    let hours = Double(rest) / Self.hour
    let hour = min(23, Int(hours))
    return Double(days) + before[hour] + (hours - Double(hour)) * shares[hour]
  }

  func time(at activity: Double) -> UInt64 {
    // Far from an overflow of the clock, and beyond the end of any reasonable trace.
    let days = UInt64(min(activity, Self.daysMax))
    let rest = min(activity - Double(days), 1)
    var hour = 0
    while hour < 23, before[hour + 1] <= rest { hour += 1 }
    let part = min(1, (rest - before[hour]) / shares[hour])
    return days * Self.day + UInt64((Double(hour) + part) * Self.hour)
  }
}
