/// The parameters of the news feed, read.
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
  /// Updates of an article on average, and the hours in which most of them come.
  var updates: Double
  var updateHours: Double
  /// Seconds between two changes of a feed page on average.
  var feedChange: Double
  var feedTTL: UInt32
  var bodyTTL: UInt32
  var thumbnailTTL: UInt32
  var feedSizes: ValueDistribution
  var bodySizes: ValueDistribution
  var thumbnailSizes: ValueDistribution
  var seed: UInt64
  var objectSeed: UInt64

  /// Reads the parameters.
  init(_ setup: GeneratorSetup) throws(ComponentError) {
    let parameters = setup.parameters
    isServer = try parameters.choice("view") == "server"
    let given = try parameters.count("readers")
    if !isServer, parameters.isGiven("readers"), given != 1 {
      throw parameters.badValue("readers", expected: "1, or view=server; a device has one reader")
    }
    readers = isServer ? given : 1
    activity = isServer ? 1 : try parameters.number("activity")
    if isServer, parameters.isGiven("activity") {
      throw parameters.badValue(
        "activity", expected: "view=device; the readers of a server are as measured")
    }
    articles = try parameters.count("articles")
    exponent = try parameters.number("exponent")
    shift = try parameters.number("shift")
    oldViews = try parameters.share("old")
    rows = try parameters.count("rows")
    pages = try parameters.count("pages")
    fresh = try parameters.share("fresh")
    scroll = try parameters.share("scroll")
    refresh = try parameters.share("refresh")
    glance = try parameters.share("glance")
    back = try parameters.share("back")
    updates = try parameters.number("updates")
    updateHours = try parameters.seconds("update-time") / 3600
    feedChange = try parameters.seconds("feed-change")
    feedTTL = UInt32(try parameters.seconds("feed-ttl").rounded())
    bodyTTL = UInt32(try parameters.seconds("body-ttl").rounded())
    thumbnailTTL = UInt32(try parameters.seconds("thumbnail-ttl").rounded())
    let sigma = try parameters.number("sigma")
    func sizes(_ name: String, sigma: Double) throws(ComponentError) -> ValueDistribution {
      DistributionRegistry.logNormal(
        median: Double(try parameters.bytes(name)), sigma: sigma, low: 256, high: 16 << 20)
    }
    feedSizes = try sizes("feed-size", sigma: 0.3)
    bodySizes = try sizes("body-size", sigma: sigma)
    thumbnailSizes = try sizes("thumbnail-size", sigma: sigma)
    seed = setup.seed
    objectSeed = setup.objectSeed
  }
}
