import LarderEngine

/// A news app, from the view of one phone's cache or of the server's.
enum NewsFeedGenerator: Generator {
  static let description = GeneratorDescription(
    name: "news-feed",
    summary: """
      Readers open the app in sessions, pull to refresh, scroll, open fresh and popular articles \
      and return to articles just read, while the publisher adds and updates articles. Time 0 is \
      midnight UTC.
      """,
    parameters: parameters, columns: [.size, .time, .operation, .ttl],
    source: """
      Measured page views of a news portal (G1, October 2017); what they do not cover (thumbnails, \
      feed pages, returns, updates) is our choice and marked as such.
      """)

  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan {
    let settings = try NewsFeedSettings(setup)
    // Keys are assigned at an object's first request.
    return GeneratorPlan(keyLimit: settings.pages + setup.requests) { NewsFeedCursor(settings) }
  }

  private static let reading: [Parameter] = [
    Parameter(
      "view", .choice(["device", "server"]), default: "device",
      "The modelled cache: the phone of one heavy reader, or a server shared by many readers."),
    Parameter(
      "readers", .count(1...1_000_000), default: "100k",
      "Readers that share the server; a device has one.",
      origin: "gives about 135,000 views a day; measured 110,000 to 240,000"),
    Parameter(
      "activity", .number(0.01...1000), default: "20",
      "Reading rate of the device's owner, as a multiple of the measured reader; not for a server.",
      origin: "our choice: a heavy reader, about ten sessions a day"),
    Parameter(
      "articles", .count(10...100_000), default: "\(NewsReading.articles)",
      "Articles published per day.", origin: "measured: 1,500 to 5,000, median 2,900"),
    .exponent(
      default: "\(NewsReading.popularity.exponent)",
      "Exponent of popularity among a day's articles: 1 / (rank + shift)^exponent.",
      origin: "fitted to the measured 1.28 to 1.30 among a day's views"),
    Parameter(
      "shift", .number(0...1e6), default: "\(NewsReading.popularity.shift)",
      "Flattens the first ranks.", origin: "fitted to the measured shares of the first 1, 10, 100"),
    Parameter(
      "old", .share, default: NewsReading.oldViews,
      "Share of views of any article from 7 to 30 days old, popular or not.",
      origin: "fitted to the measured 61-63 % of a day's articles viewed once"),
  ]

  private static let app: [Parameter] = [
    Parameter(
      "rows", .count(1...1000), default: "6", "Thumbnails per screen.", origin: "our choice"),
    Parameter(
      "pages", .count(1...1000), default: "5", "Pages of the feed.", origin: "our choice"),
    Parameter(
      "fresh", .share, default: "40%",
      "Share of feed positions that show one of the newest articles; the others show fresh and "
        + "popular ones, as they are read.", origin: "our choice"),
    Parameter(
      "scroll", .share, default: "50%",
      "Probability of scrolling to the feed's next page before opening an article.",
      origin: "our choice"),
    Parameter(
      "refresh", .share, default: "20%",
      "Probability of refreshing the feed instead.", origin: "our choice"),
    Parameter(
      "glance", .share, default: "50%",
      "Probability of looking at the feed between two sessions without opening an article.",
      origin: "our choice: sessions of less than two views were removed from the data"),
    Parameter(
      "back", .share, default: "25%",
      "Probability of reopening one of the articles just read.",
      origin: "our choice: repeated views were removed from the data"),
    Parameter(
      "updates", .number(0...1000), default: "1", "Mean number of updates per article.",
      origin: "our choice"),
    Parameter(
      "update-time", .duration(60...2_592_000), default: "6h",
      "Time after publication within which 63 % of the updates occur.", origin: "our choice"),
    Parameter(
      "feed-change", .duration(1...2_592_000), default: "10m",
      "Mean time between two changes of a feed page.", origin: "our choice"),
  ]

  private static let objects: [Parameter] = [
    Parameter(
      "feed-ttl", .duration(0...3_153_600_000), default: "5m", "TTL of a feed page.",
      origin: "one to five minutes in the apps modelled here"),
    Parameter(
      "body-ttl", .duration(0...3_153_600_000), default: "1d", "TTL of an article.",
      origin: "one day in the apps modelled here"),
    Parameter(
      "thumbnail-ttl", .duration(0...3_153_600_000), default: "30d",
      "TTL of a thumbnail.", origin: "30 days on disk in the apps modelled here"),
    Parameter(
      "feed-size", .bytes(256...16_777_216), default: "24KiB", "Median size of a feed page.",
      origin: "our choice"),
    Parameter(
      "body-size", .bytes(256...16_777_216), default: "16KiB", "Median size of an article.",
      origin: "on both sides of 20 KiB"),
    Parameter(
      "thumbnail-size", .bytes(256...16_777_216), default: "20KiB",
      "Median size of a thumbnail.", origin: "on both sides of 20 KiB"),
    Parameter(
      "sigma", .number(0...5), default: "0.8",
      "Spread of article and thumbnail sizes (log-normal).", origin: "our choice"),
  ]

  private static let parameters = reading + app + objects
}

/// Parsed parameters of the news feed.
struct NewsFeedSettings: Sendable {
  var isServer: Bool
  var readers: Int
  var activity: Double
  var articles: Int
  var exponent: Double
  var shift: Double
  var oldViews: Double
  var rows: Int
  var pages: Int
  var fresh: Double
  var scroll: Double
  var refresh: Double
  var glance: Double
  var back: Double
  /// Mean number of updates of an article, and the hours in which most of them come.
  var updates: Double
  var updateHours: Double
  /// Mean seconds between two changes of a feed page.
  var feedChange: Double
  var feedTTL: UInt32
  var bodyTTL: UInt32
  var thumbnailTTL: UInt32
  var feedSizes: ValueDistribution
  var bodySizes: ValueDistribution
  var thumbnailSizes: ValueDistribution
  var seed: UInt64
  var objectSeed: UInt64

  init(_ setup: GeneratorSetup) throws(ComponentError) {
    let parameters = setup.parameters
    isServer = try parameters.choice("view") == "server"
    let given = try parameters.whole("readers")
    if !isServer, parameters.text("readers") != nil, given != 1 {
      throw parameters.wrong("readers", expected: "1, or view=server; a device has one reader")
    }
    readers = isServer ? given : 1
    activity = isServer ? 1 : try parameters.number("activity")
    if isServer, parameters.text("activity") != nil {
      throw parameters.wrong(
        "activity", expected: "view=device; the readers of a server are as measured")
    }
    articles = try parameters.whole("articles")
    exponent = try parameters.number("exponent")
    shift = try parameters.number("shift")
    oldViews = try parameters.number("old")
    rows = try parameters.whole("rows")
    pages = try parameters.whole("pages")
    fresh = try parameters.number("fresh")
    scroll = try parameters.number("scroll")
    refresh = try parameters.number("refresh")
    glance = try parameters.number("glance")
    back = try parameters.number("back")
    updates = try parameters.number("updates")
    updateHours = try parameters.number("update-time") / 3600
    feedChange = try parameters.number("feed-change")
    feedTTL = UInt32(try parameters.number("feed-ttl").rounded())
    bodyTTL = UInt32(try parameters.number("body-ttl").rounded())
    thumbnailTTL = UInt32(try parameters.number("thumbnail-ttl").rounded())
    let sigma = try parameters.number("sigma")
    func sizes(_ name: String, sigma: Double) throws(ComponentError) -> ValueDistribution {
      DistributionRegistry.logNormal(
        median: Double(try parameters.whole(name)), sigma: sigma, low: 256, high: 16 << 20)
    }
    feedSizes = try sizes("feed-size", sigma: 0.3)
    bodySizes = try sizes("body-size", sigma: sigma)
    thumbnailSizes = try sizes("thumbnail-size", sigma: sigma)
    seed = setup.seed
    objectSeed = setup.objectSeed
  }
}

/// Requests of a news app, event by event.
///
/// A modify is written only for an object that was requested since it last changed: before the next
/// request, another change has no effect on copies.
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
    /// Distance that readers go back among the articles they read.
    let recency: ZipfSampler
    /// True if a change of the feed page is scheduled.
    var feedAwaitsChange: [Bool]
    let feedSizes: [UInt32]
    /// Records of the current event, and the number of those already returned.
    var burst: [TraceRecord] = []
    var handedOut = 0

    /// Start of the trace: by then the oldest article that can be opened is published.
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

extension NewsFeedCursor.State {
  /// Starts all readers at a random point in the pause between two sessions.
  init(_ settings: NewsFeedSettings) {
    self.settings = settings
    random = RandomStream(seed: settings.seed, purpose: 0x2e35)
    rhythm = DayRhythm(hours: NewsReading.hours)
    articles = NewsArticles(
      perDay: settings.articles, exponent: settings.exponent, shift: settings.shift,
      oldViews: settings.oldViews, rhythm: rhythm, seed: settings.objectSeed)
    objects = NewsObjects(
      articlesPerDay: settings.articles, thumbnails: settings.thumbnailSizes,
      bodies: settings.bodySizes, seed: settings.objectSeed, firstKey: UInt32(settings.pages))
    // A single reader remembers about a month, so that articles are not opened twice as new.
    let memory = settings.readers == 1 ? 1024 : 16
    people = NewsReaders(count: settings.readers, memory: memory)
    recency = ZipfSampler(count: memory, exponent: NewsReading.backExponent)
    feedAwaitsChange = [Bool](repeating: false, count: settings.pages)
    feedSizes = (0..<settings.pages).map {
      settings.feedSizes.value(RandomStream.derived(settings.objectSeed, 0xfeed + UInt64($0)))
    }
    let now = rhythm.activity(at: Self.start)
    for reader in 0..<settings.readers {
      // The pause at a given moment is chosen with a probability proportional to its length.
      var pause = NewsReading.sessionGaps.draw(&random)
      while random.nextUnit() * NewsReading.sessionGapMax > pause {
        pause = NewsReading.sessionGaps.draw(&random)
      }
      let rest = pause * random.nextUnit() / (24 * settings.activity)
      queue.insert(.init(time: rhythm.time(at: now + rest), id: UInt32(reader)))
    }
  }

  mutating func step() {
    guard let event = queue.next() else { return }
    let id = Int(event.id)
    let readers = people.readers.count
    if id >= readers + settings.pages {
      let slot = id - readers - settings.pages
      objects.updated(slot)
      let body = objects.body(slot)
      write(body.key, body.size, settings.bodyTTL, at: event.time, .modify)
    } else if id >= readers {
      feedAwaitsChange[id - readers] = false
      let size = feedSizes[id - readers]
      write(UInt32(id - readers), size, settings.feedTTL, at: event.time, .modify)
    } else {
      advance(id, at: event.time)
    }
  }

  private mutating func advance(_ reader: Int, at time: UInt64) {
    switch people.readers[reader].step {
    case .glance:
      showFeed(page: 0, at: time)
      schedule(reader, .open, at: people.readers[reader].later)
    case .open:
      people.readers[reader].left = UInt8(2 + sessionLengths.index(random.next()))
      people.readers[reader].page = 0
      showFeed(page: 0, at: time)
      let view = time + 4_000_000 + random.next(below: 16_000_000)
      goBackOrOn(reader, at: time, viewAt: view)
    case .view:
      moveInFeed(reader, at: time)
      view(reader, at: time)
      people.readers[reader].left -= 1
      let gap = NewsReading.viewGaps.draw(&random)
      goBackOrOn(reader, at: time, viewAt: time + UInt64(gap * 1e6))
    case .back:
      viewAgain(reader, at: time)
      goBackOrOn(reader, at: time, viewAt: people.readers[reader].later)
    }
  }

  /// Between two views the reader may go back; after the last view the session ends.
  private mutating func goBackOrOn(_ reader: Int, at time: UInt64, viewAt: UInt64) {
    let pause = viewAt > time ? viewAt - time : 0
    if random.nextUnit() < settings.back, pause > 2_000_000 {
      people.readers[reader].later = viewAt
      schedule(reader, .back, at: time + 1_000_000 + random.next(below: pause - 1_000_000))
    } else if people.readers[reader].left > 0 {
      schedule(reader, .view, at: viewAt)
    } else {
      endSession(reader, at: time)
    }
  }

  private mutating func endSession(_ reader: Int, at time: UInt64) {
    let pause = NewsReading.sessionGaps.draw(&random) / (24 * settings.activity)
    let now = rhythm.activity(at: time)
    let next = rhythm.time(at: now + pause)
    if random.nextUnit() < settings.glance {
      people.readers[reader].later = next
      schedule(reader, .glance, at: rhythm.time(at: now + pause * random.nextUnit()))
    } else {
      schedule(reader, .open, at: next)
    }
  }

  private mutating func schedule(_ reader: Int, _ step: NewsReaders.Step, at time: UInt64) {
    people.readers[reader].step = step
    queue.insert(.init(time: time, id: UInt32(reader)))
  }

  /// Before opening an article the reader may pull to refresh or scroll on.
  private mutating func moveInFeed(_ reader: Int, at time: UInt64) {
    let choice = random.nextUnit()
    if choice < settings.refresh {
      people.readers[reader].page = 0
      showFeed(page: 0, at: time)
    } else if choice < settings.refresh + (1 - settings.refresh) * settings.scroll {
      let page = min(Int(people.readers[reader].page) + 1, settings.pages - 1)
      people.readers[reader].page = UInt8(truncatingIfNeeded: min(page, 255))
      showFeed(page: page, at: time)
    }
  }

  /// Requests a page of the feed and its distinct thumbnails.
  private mutating func showFeed(page: Int, at time: UInt64) {
    write(UInt32(page), feedSizes[page], settings.feedTTL, at: time, .get)
    if !feedAwaitsChange[page] {
      feedAwaitsChange[page] = true
      let wait = random.nextExponential() * settings.feedChange
      queue.insert(
        .init(time: time + 1 + UInt64(wait * 1e6), id: UInt32(people.readers.count + page)))
    }
    let first = burst.count
    for _ in 0..<settings.rows {
      // With few articles a page may not fill; a few tries are enough otherwise.
      for _ in 0..<8 {
        let isNew = random.nextUnit() < settings.fresh
        let article =
          isNew ? articles.chooseNew(at: time, &random) : articles.choose(at: time, &random)
        let slot = objects.slot(of: article)
        let thumbnail = objects.thumbnail(slot)
        if burst[first...].contains(where: { $0.key == UInt64(thumbnail.key) }) { continue }
        write(thumbnail.key, thumbnail.size, settings.thumbnailTTL, at: time, .get)
        break
      }
    }
  }

  /// Opens an unread article: its thumbnail, then its body.
  private mutating func view(_ reader: Int, at time: UInt64) {
    var article = articles.choose(at: time, &random)
    var tries = 0
    while tries < 16, people.hasRead(reader, article) {
      article = articles.choose(at: time, &random)
      tries += 1
    }
    people.read(reader, article)
    let slot = objects.slot(of: article)
    let thumbnail = objects.thumbnail(slot)
    write(thumbnail.key, thumbnail.size, settings.thumbnailTTL, at: time, .get)
    openBody(slot, of: article, at: time)
  }

  /// Reopens one of the last articles, most often the last one. Does nothing if the draw goes back
  /// further than the reader's memory.
  private mutating func viewAgain(_ reader: Int, at time: UInt64) {
    let back = Int(recency.rank(&random)) - 1
    guard let article = people.lastRead(reader, back: back),
      time - articles.published(article) < UInt64(NewsArticles.daysMax) * DayRhythm.day
    else { return }
    openBody(objects.slot(of: article), of: article, at: time)
  }

  private mutating func openBody(_ slot: Int, of article: UInt64, at time: UInt64) {
    let body = objects.body(slot)
    write(body.key, body.size, settings.bodyTTL, at: time, .get)
    guard let update = nextUpdate(of: article, after: time), objects.expectUpdate(slot) else {
      return
    }
    let id = people.readers.count + settings.pages + slot
    queue.insert(.init(time: update, id: UInt32(id)))
  }

  /// Time of the next update, at a rate that falls exponentially with the article's age. Nil if
  /// there is none while the article can be opened.
  private mutating func nextUpdate(of article: UInt64, after time: UInt64) -> UInt64? {
    let published = articles.published(article)
    let age = Double(time - published) / 3.6e9
    let left = DeterministicMath.exp(-age / settings.updateHours)
    guard settings.updates > 0 else { return nil }
    let after = left - random.nextExponential() / settings.updates
    guard after > 0 else { return nil }
    let updateAge = -DeterministicMath.log(after) * settings.updateHours
    guard updateAge < Double(NewsArticles.daysMax * 24) else { return nil }
    return max(time + 1, published + UInt64(updateAge * 3.6e9))
  }

  private mutating func write(
    _ key: UInt32, _ size: UInt32, _ ttl: UInt32, at time: UInt64, _ operation: Operation
  ) {
    burst.append(
      TraceRecord(
        key: UInt64(key), time: time - Self.start, size: size, ttl: ttl, operation: operation))
  }
}
