/// An app that shows news, seen from one phone's cache or from the server's.
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
    // Keys are given at an object's first request.
    return GeneratorPlan(keyLimit: settings.pages + setup.requests) { NewsFeedCursor(settings) }
  }

  private static let reading: [GeneratorParameter] = [
    GeneratorParameter(
      "view", .choice(["device", "server"]), default: "device",
      "Which cache: the phone of one heavy reader, or a server shared by many readers."),
    GeneratorParameter(
      "readers", .count(1...1_000_000), default: "100k",
      "Readers that share the server; a device has one.",
      origin: "gives about 135,000 views a day; measured 110,000 to 240,000"),
    GeneratorParameter(
      "activity", .number(0.01...1000), default: "20",
      "How often the device's owner reads, as a multiple of the measured reader; not for a server.",
      origin: "our choice: a heavy reader, about ten sessions a day"),
    GeneratorParameter(
      "articles", .count(10...100_000), default: "\(NewsReading.articles)",
      "Articles published per day.", origin: "measured: 1,500 to 5,000, median 2,900"),
    .exponent(
      default: "\(NewsReading.popularity.exponent)",
      "Exponent of popularity among a day's articles: 1 / (rank + shift)^exponent.",
      origin: "fitted to the measured 1.28 to 1.30 among a day's views"),
    GeneratorParameter(
      "shift", .number(0...1e6), default: "\(NewsReading.popularity.shift)",
      "Flattens the first ranks.", origin: "fitted to the measured shares of the first 1, 10, 100"),
    GeneratorParameter(
      "old", .share, default: NewsReading.oldViews,
      "Share of views of any article from 7 to 30 days old, popular or not.",
      origin: "fitted to the measured 61-63 % of a day's articles viewed once"),
  ]

  private static let app: [GeneratorParameter] = [
    GeneratorParameter(
      "rows", .count(1...1000), default: "6", "Thumbnails per screen.", origin: "our choice"),
    GeneratorParameter(
      "pages", .count(1...1000), default: "5", "Pages of the feed.", origin: "our choice"),
    GeneratorParameter(
      "fresh", .share, default: "40%",
      "Share of feed positions that show one of the newest articles; the others show fresh and "
        + "popular ones, as they are read.", origin: "our choice"),
    GeneratorParameter(
      "scroll", .share, default: "50%",
      "Probability of scrolling to the feed's next page before opening an article.",
      origin: "our choice"),
    GeneratorParameter(
      "refresh", .share, default: "20%",
      "Probability of refreshing the feed instead.", origin: "our choice"),
    GeneratorParameter(
      "glance", .share, default: "50%",
      "Probability of looking at the feed between two sessions without opening an article.",
      origin: "our choice: sessions of less than two views were removed from the data"),
    GeneratorParameter(
      "back", .share, default: "25%",
      "Probability of reopening one of the articles just read.",
      origin: "our choice: repeated views were removed from the data"),
    GeneratorParameter(
      "updates", .number(0...1000), default: "1", "Mean number of updates per article.",
      origin: "our choice"),
    GeneratorParameter(
      "update-time", .duration(60...2_592_000), default: "6h",
      "Time after publication within which 63 % of the updates occur.", origin: "our choice"),
    GeneratorParameter(
      "feed-change", .duration(1...2_592_000), default: "10m",
      "Mean time between two changes of a feed page.", origin: "our choice"),
  ]

  private static let objects: [GeneratorParameter] = [
    GeneratorParameter(
      "feed-ttl", .duration(0...3_153_600_000), default: "5m", "TTL of a feed page.",
      origin: "one to five minutes in the apps modelled here"),
    GeneratorParameter(
      "body-ttl", .duration(0...3_153_600_000), default: "1d", "TTL of an article.",
      origin: "one day in the apps modelled here"),
    GeneratorParameter(
      "thumbnail-ttl", .duration(0...3_153_600_000), default: "30d",
      "TTL of a thumbnail.", origin: "30 days on disk in the apps modelled here"),
    GeneratorParameter(
      "feed-size", .bytes(256...16_777_216), default: "24KiB", "Median size of a feed page.",
      origin: "our choice"),
    GeneratorParameter(
      "body-size", .bytes(256...16_777_216), default: "16KiB", "Median size of an article.",
      origin: "on both sides of 20 KiB"),
    GeneratorParameter(
      "thumbnail-size", .bytes(256...16_777_216), default: "20KiB",
      "Median size of a thumbnail.", origin: "on both sides of 20 KiB"),
    GeneratorParameter(
      "sigma", .number(0...5), default: "0.8",
      "Spread of article and thumbnail sizes (log-normal).", origin: "our choice"),
  ]

  private static let parameters = reading + app + objects
}
