import LarderEngine

extension NewsFeedCursor.State {
  /// All readers between two sessions, at a random place in the pause.
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
    // A lone reader remembers about a month, so that an article is not news to them twice.
    let memory = settings.readers == 1 ? 1024 : 16
    people = NewsReaders(count: settings.readers, memory: memory)
    recency = ZipfSampler(count: memory, exponent: NewsReading.backExponent)
    feedAwaitsChange = [Bool](repeating: false, count: settings.pages)
    feedSizes = (0..<settings.pages).map {
      settings.feedSizes.value(RandomStream.derived(settings.objectSeed, 0xfeed + UInt64($0)))
    }
    let now = rhythm.activity(at: Self.start)
    for reader in 0..<settings.readers {
      // A pause that contains a given moment is long in proportion to its length.
      var pause = NewsReading.sessionGaps.draw(&random)
      while random.nextUnit() * NewsReading.sessionGapMax > pause {
        pause = NewsReading.sessionGaps.draw(&random)
      }
      let rest = pause * random.nextUnit() / (24 * settings.activity)
      queue.insert(.init(time: rhythm.time(at: now + rest), id: UInt32(reader)))
    }
  }

  /// Handles the next event.
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

  /// A page of the feed and the thumbnails on it, none twice.
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

  /// Opens an article not read before: its thumbnail, then its body.
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

  /// Opens again one of the last articles, the last most likely. Nothing if the draw goes back
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

  /// Updates come at a rate that falls exponentially with the article's age. Nil when none follows
  /// while the article can be opened.
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
