import LarderEngine

extension RegisteredGenerator {
  static let newsFeed = RegisteredGenerator(
    name: "news-feed",
    summary: """
      Readers open the app in sessions, refresh, scroll, open fresh and popular articles and \
      return to those just read, while the publisher adds and updates articles. Time 0 is midnight \
      UTC.
      """,
    parameters: reading + app + objects, columns: [.size, .time, .operation, .ttl],
    source: """
      Page views of a news portal (G1, October 2017); where no source of a default is given, it is \
      our choice.
      """
  ) { setup throws(ComponentError) in
    let settings = try NewsFeedSettings(setup)
    // Keys are assigned at an object's first request.
    return GeneratorPlan(
      keyLimit: settings.pages + setup.requests, stream: NewsFeedStream(settings))
  }

  private static let reading: [Parameter] = [
    Parameter(
      "view", .choice(["device", "server"]), default: "device",
      "The phone of one heavy reader, or a server shared by many readers."),
    .count("readers", 1...1_000_000, "100k", "Readers of the server; a device has one."),
    .number("activity", 0.01...1000, "20", "Multiple of the measured reader's rate on a device."),
    .count(
      "articles", 10...100_000, "\(NewsReading.articles)", "Articles published per day.",
      from: "measured: 1,500 to 5,000, median 2,900"),
    .exponent(
      "\(NewsReading.popularity.exponent)",
      "Exponent of popularity among a day's articles: 1 / (rank + shift)^exponent.",
      from: "fitted to the measured 1.28 to 1.30 among a day's views"),
    .number(
      "shift", 0...1e6, "\(NewsReading.popularity.shift)", "Flattens the first ranks.",
      from: "fitted to the measured shares of the first 1, 10, 100"),
    .share(
      "old", NewsReading.oldViews, "Share of views of any article from 7 to 30 days old.",
      from: "fitted to the measured 61-63 % of a day's articles viewed once"),
  ]

  private static let app: [Parameter] = [
    .count("rows", 1...1000, "6", "Thumbnails per screen."),
    .count("pages", 1...1000, "5", "Pages of the feed."),
    .share("fresh", "40%", "Share of feed positions with one of the newest articles."),
    .share("scroll", "50%", "Probability of scrolling on before opening an article."),
    .share("refresh", "20%", "Probability of refreshing the feed instead."),
    .share("glance", "50%", "Probability of looking at the feed between two sessions."),
    .share("back", "25%", "Probability of reopening one of the articles just read."),
    .number("updates", 0...1000, "1", "Mean number of updates per article."),
    .time("update-time", 60...2_592_000, "6h", "Time within which 63 % of the updates occur."),
    .time("feed-change", 1...2_592_000, "10m", "Mean time between changes of a feed page."),
  ]

  private static let objects: [Parameter] = [
    .time("feed-ttl", 0...3_153_600_000, "5m", "TTL of a feed page."),
    .time("body-ttl", 0...3_153_600_000, "1d", "TTL of an article."),
    .time("thumbnail-ttl", 0...3_153_600_000, "30d", "TTL of a thumbnail."),
    .medianSize("feed-size", "24KiB", "a feed page"),
    .medianSize("body-size", "16KiB", "an article"),
    .medianSize("thumbnail-size", "20KiB", "a thumbnail"),
    .number("sigma", 0...5, "0.8", "Spread of article and thumbnail sizes (log-normal)."),
  ]
}

private struct NewsFeedSettings: Sendable {
  let readers: Int
  let activity: Double
  let articles: Int
  let popularity: (exponent: Double, shift: Double)
  let oldViews: Double
  let rows: Int
  let pages: Int
  let fresh: Double
  let scroll: Double
  let refresh: Double
  let glance: Double
  let back: Double
  let updates: Double
  let updateHours: Double
  let feedChange: Double
  let feedTTL: UInt32
  let bodyTTL: UInt32
  let thumbnailTTL: UInt32
  let feedSizes: ValueDistribution
  let bodySizes: ValueDistribution
  let thumbnailSizes: ValueDistribution
  let seed: UInt64
  let objectSeed: UInt64

  init(_ setup: GeneratorSetup) throws(ComponentError) {
    let parameters = setup.parameters
    let isServer = try parameters.choice("view") == "server"
    let given = try setup.whole("readers")
    if !isServer, parameters.text("readers") != nil, given != 1 {
      throw parameters.wrong("readers", expected: "1, or view=server; a device has one reader")
    }
    readers = isServer ? given : 1
    activity = isServer ? 1 : try setup.number("activity")
    if isServer, parameters.text("activity") != nil {
      throw parameters.wrong(
        "activity", expected: "view=device; the readers of a server are as measured")
    }
    articles = try setup.whole("articles")
    popularity = (try setup.number("exponent"), try setup.number("shift"))
    oldViews = try setup.number("old")
    rows = try setup.whole("rows")
    pages = try setup.whole("pages")
    fresh = try setup.number("fresh")
    scroll = try setup.number("scroll")
    refresh = try setup.number("refresh")
    glance = try setup.number("glance")
    back = try setup.number("back")
    updates = try setup.number("updates")
    updateHours = try setup.number("update-time") / 3600
    feedChange = try setup.number("feed-change")
    feedTTL = UInt32(try setup.number("feed-ttl").rounded())
    bodyTTL = UInt32(try setup.number("body-ttl").rounded())
    thumbnailTTL = UInt32(try setup.number("thumbnail-ttl").rounded())
    let sigma = try setup.number("sigma")
    let bounds: ClosedRange<UInt32> = 256...16 << 20
    feedSizes = try setup.sizes("feed-size", sigma: 0.3, bounds)
    bodySizes = try setup.sizes("body-size", sigma: sigma, bounds)
    thumbnailSizes = try setup.sizes("thumbnail-size", sigma: sigma, bounds)
    seed = setup.seed
    objectSeed = setup.objectSeed
  }
}

private struct NewsFeedStream: BurstStream {
  var burst = Burst()
  private let settings: NewsFeedSettings
  private var random: RandomStream
  private let rhythm: DayRhythm
  private let articles: NewsArticles
  private var objects: NewsObjects
  private var people: NewsReaders
  private var queue = EventQueue()
  private let sessionLengths = AliasTable(weights: NewsReading.sessionWeights)
  private let recency: ZipfSampler
  private var feedAwaitsChange: [Bool]
  private let feedSizes: [UInt32]

  /// Start of the trace: by then the oldest article that can be opened is published.
  private static let start = UInt64(NewsArticles.daysMax + 1) * DayRhythm.day

  init(_ settings: NewsFeedSettings) {
    self.settings = settings
    random = RandomStream(seed: settings.seed, purpose: 0x2e35)
    rhythm = DayRhythm(hours: NewsReading.hours)
    articles = NewsArticles(
      perDay: settings.articles, popularity: settings.popularity, oldViews: settings.oldViews,
      rhythm: rhythm, seed: settings.objectSeed)
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

  private mutating func showFeed(page: Int, at time: UInt64) {
    write(UInt32(page), feedSizes[page], settings.feedTTL, at: time, .get)
    if !feedAwaitsChange[page] {
      feedAwaitsChange[page] = true
      let wait = random.nextExponential() * settings.feedChange
      queue.insert(
        .init(time: time + 1 + UInt64(wait * 1e6), id: UInt32(people.readers.count + page)))
    }
    let first = burst.records.count
    for _ in 0..<settings.rows {
      // With few articles a page may not fill; a few tries are enough otherwise.
      for _ in 0..<8 {
        let isNew = random.nextUnit() < settings.fresh
        let article =
          isNew ? articles.chooseNew(at: time, &random) : articles.choose(at: time, &random)
        let slot = objects.slot(of: article)
        let thumbnail = objects.thumbnail(slot)
        if burst.records[first...].contains(where: { $0.key == UInt64(thumbnail.key) }) { continue }
        write(thumbnail.key, thumbnail.size, settings.thumbnailTTL, at: time, .get)
        break
      }
    }
  }

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

  /// Reopens one of the last articles, unless the draw goes back further than the memory.
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
