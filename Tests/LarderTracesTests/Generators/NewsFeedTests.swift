import Foundation
import LarderEngine
import Testing

@testable import LarderTraces

/// The generated news feed against the figures of its calibration. Seeds are fixed, so tolerances
/// only have to hold once; they show the accuracy of the model.
struct NewsFeedTests {
  private static let rhythm = DayRhythm(hours: NewsReading.hours)
  private static let articles = NewsArticles(
    perDay: NewsReading.articles, popularity: NewsReading.popularity, oldViews: 0.012,
    rhythm: rhythm, seed: 1)

  /// Views of one day: time and article.
  private func views(day: UInt64, count: Int) -> [(time: UInt64, article: UInt64)] {
    var random = RandomStream(seed: day)
    return (0..<count).map { _ in
      let time = Self.rhythm.time(at: Double(day) + random.nextUnit())
      return (time, Self.articles.choose(at: time, &random))
    }
  }

  private func quantile(_ values: [Double], _ share: Double) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? .nan : sorted[Int(share * Double(sorted.count - 1))]
  }

  @Test func agesOfViewsAreAsMeasured() {
    let ages = (40..<46).flatMap { day in
      views(day: day, count: 25_000).map {
        Double($0.time - Self.articles.published($0.article)) / 3.6e9
      }
    }
    let measured: [(untilHours: Double, share: Double)] = [
      (1, 0.035), (2, 0.024), (4, 0.058), (8, 0.119), (12, 0.081), (24, 0.231), (48, 0.233),
      (96, 0.134), (168, 0.066), (720, 0.019),
    ]
    var from = 0.0
    for (until, share) in measured {
      let found = Double(ages.filter { $0 >= from && $0 < until }.count) / Double(ages.count)
      #expect(abs(found - share) < 0.004 + 0.12 * share, "from \(from) to \(until) hours: \(found)")
      from = until
    }
    #expect(ages.allSatisfy { $0 < 720 })
    #expect(abs(quantile(ages, 0.5) - 22) < 2)
    #expect(abs(quantile(ages, 0.9) - 89) < 9)
  }

  /// Means over three days, since one story can make a day.
  @Test func popularityWithinADayIsAsMeasured() {
    let days: [UInt64] = [40, 41, 50]
    let counts = days.map { day in
      Dictionary(grouping: views(day: day, count: 150_000), by: \.article).values.map(\.count)
        .sorted(by: >)
    }
    func mean(_ measure: ([Int]) -> Double) -> Double { counts.reduce(0) { $0 + measure($1) } / 3 }
    func top(_ count: Int) -> Double { mean { Double($0.prefix(count).reduce(0, +)) / 150_000 } }
    #expect((0.05...0.10).contains(top(1)), "\(top(1))")
    #expect((0.34...0.41).contains(top(10)), "\(top(10))")
    #expect((0.77...0.83).contains(top(100)), "\(top(100))")
    let different = mean { Double($0.count) }
    #expect((4300...6100).contains(different), "\(different)")
    let once = mean { counts in Double(counts.filter { $0 == 1 }.count) / Double(counts.count) }
    #expect((0.58...0.67).contains(once), "\(once)")
    let exponent = mean { -slope($0.prefix(300).map { log(Double($0)) }) }
    #expect((1.25...1.33).contains(exponent), "\(exponent)")
  }

  private func slope(_ y: [Double]) -> Double {
    let x = y.indices.map { log(Double($0 + 1)) }
    let (meanX, meanY) = (x.reduce(0, +) / Double(x.count), y.reduce(0, +) / Double(y.count))
    return zip(x, y).reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) }
      / x.reduce(0) { $0 + ($1 - meanX) * ($1 - meanX) }
  }

  /// TTLs distinguish bodies (one day) from thumbnails (30 days) and feed pages (5 minutes).
  private func isView(_ record: TraceRecord) -> Bool {
    record.ttl == 86_400 && record.operation == 0
  }

  @Test func sessionsAreAsMeasured() throws {
    // Only sessions: each begins with the feed page, key 0.
    let records = try Generated.records(
      "news-feed:activity=1:glance=0:back=0:refresh=0:scroll=0:pages=1:rows=1:updates=0"
        + ":feed-change=30d", requests: 60_000)
    var lengths: [Double] = []
    var inside: [Double] = []
    var between: [Double] = []
    var last: UInt64 = 0
    for record in records where record.operation == 0 {
      if record.key == 0 {
        if last > 0 { between.append(Double(record.time - last) / 3.6e9) }
        lengths.append(0)
      } else if isView(record) {
        if lengths[lengths.count - 1] > 0 { inside.append(Double(record.time - last) / 1e6) }
        lengths[lengths.count - 1] += 1
        last = record.time
      }
    }
    lengths.removeLast()
    #expect(lengths.count > 7000)
    #expect(quantile(lengths, 0.5) == 2)
    #expect(abs(lengths.reduce(0, +) / Double(lengths.count) - 2.7) < 0.1)
    #expect(quantile(lengths, 0.9) == 4 && (7...8).contains(quantile(lengths, 0.99)))
    for (share, seconds) in [(0.5, 30.0), (0.75, 122), (0.9, 336)] {
      #expect(abs(quantile(inside, share) / seconds - 1) < 0.08)
    }
    for (share, hours) in [(0.1, 2.0), (0.25, 7.5), (0.5, 24), (0.75, 66)] {
      // Nights lengthen the pauses and days shorten them; a day remains a day.
      #expect(
        abs(quantile(between, share) / hours - 1) < 0.2, "\(share): \(quantile(between, share))")
    }
  }

  @Test func serverHasTheHoursAndTheViewsOfADay() throws {
    // Ten thousand readers for ten days: a tenth of the default, at equal rates.
    let records = try Generated.records(
      "news-feed:view=server:readers=10k:glance=0:back=0:refresh=0:scroll=0:rows=1:pages=1",
      requests: 330_000)
    let days = Double(records[records.count - 1].time) / 86.4e9
    let wholeDays = days.rounded(.down)
    #expect(wholeDays >= 7)
    let views = records.filter { isView($0) && Double($0.time) / 86.4e9 < wholeDays }
    let perDay = Double(views.count) / wholeDays * 10
    #expect((110_000...240_000).contains(perDay), "\(perDay)")
    var hours = [Double](repeating: 0, count: 24)
    for view in views { hours[Int(view.time / 3_600_000_000 % 24)] += 1 / Double(views.count) }
    for (hour, share) in NewsReading.hours.enumerated() {
      #expect(abs(hours[hour] - share) < 0.004, "hour \(hour): \(hours[hour])")
    }
  }

  @Test func readersDoNotReadAnArticleTwiceUnlessTheyGoBack() throws {
    func repeated(_ back: String) throws -> Double {
      let views = try Generated.records("news-feed:back=\(back)", requests: 20_000).filter(isView)
      return 1 - Double(Set(views.map(\.key)).count) / Double(views.count)
    }
    #expect(try repeated("0") < 0.005)
    #expect((0.15...0.35).contains(try repeated("25%")))
  }

  @Test func modifiesFollowRequests() throws {
    var isFresh: Set<UInt64> = []
    var modified: [UInt64: Int] = [:]
    for record in try Generated.records("news-feed", requests: 30_000) {
      if record.operation == Operation.get.rawValue {
        isFresh.insert(record.key)
      } else {
        #expect(record.operation == Operation.modify.rawValue)
        #expect(isFresh.remove(record.key) != nil, "no request since the last change")
        modified[record.key, default: 0] += 1
      }
    }
    #expect(modified.keys.contains(0), "the feed's first page changes")
    #expect(modified.keys.filter { $0 >= 5 }.count > 100, "articles are updated")
  }

  @Test func sizesLieOnBothSidesOfTheInlineThreshold() throws {
    let records = try Generated.records("news-feed", requests: 20_000)
    for ttl: UInt32 in [86_400, 30 * 86_400] {
      let sizes = records.filter { $0.ttl == ttl }.map(\.size)
      let large = Double(sizes.filter { $0 > 20_480 }.count) / Double(sizes.count)
      #expect((0.2...0.8).contains(large))
    }
  }

  /// Policies must differ under the default: hit ratios are neither 0 nor 1 at compared capacities.
  @Test(arguments: [
    ("news-feed", 100, 0.25...0.6), ("news-feed", 1000, 0.35...0.7),
    ("news-feed:view=server", 100, 0.4...0.75),
    ("news-feed:view=server:readers=100", 5000, 0.5...0.9),
  ])
  func hitRatiosAreIntermediate(text: String, capacity: Int, expected: ClosedRange<Double>) throws {
    let gets = try Generated.records(text, requests: 60_000).filter { $0.operation == 0 }
    let source = RecordList(list: gets.map { TraceRecord(key: $0.key) }, columns: [])
    let trace = try PreparedTrace.prepare(source: source, name: "gets")
    let counts = try ReferenceHits.counts("lru", UInt64(capacity), .objects, trace.requests)
    let ratio = try #require(counts.hitRatio)
    #expect(expected.contains(ratio), "\(ratio)")
  }

  @Test func impossibleSettingsAreRejected() {
    func message(_ text: String) -> String? {
      Generated.message {
        _ = try Generated.source(try Generated.spec("news-feed:\(text)", requests: 10))
      }
    }
    #expect(
      message("view=phone") == "news-feed: view: expected one of device, server, found 'phone'")
    #expect(
      message("readers=5")
        == "news-feed: readers: expected 1, or view=server; a device has one reader, found '5'")
    #expect(message("view=server:activity=2")?.contains("view=device") == true)
    #expect(message("articles=0")?.contains("a whole number from 10") == true)
    #expect(message("back=101%")?.contains("a share from 0 to 1") == true)
    #expect(message("body-ttl=soon")?.contains("a time from") == true)
  }

  /// Extremes of the parameters: no endless loop, no overflow.
  @Test(arguments: [
    "articles=10", "articles=10:rows=1000", "rows=1:pages=1", "back=1", "back=100%:activity=1000",
    "old=1", "old=0", "exponent=0", "exponent=1e308", "shift=1e6", "updates=1000:update-time=60",
    "activity=0.01", "pages=1000:scroll=1:refresh=0", "refresh=1", "glance=1", "fresh=1", "fresh=0",
    "feed-change=1", "feed-ttl=0:body-ttl=0:thumbnail-ttl=0", "view=server:readers=1",
  ])
  func extremeParametersWork(text: String) throws {
    let records = try Generated.records("news-feed:\(text)", requests: 4000)
    #expect(records.count == 4000)
    #expect(zip(records, records.dropFirst()).allSatisfy { $0.time <= $1.time })
  }
}
