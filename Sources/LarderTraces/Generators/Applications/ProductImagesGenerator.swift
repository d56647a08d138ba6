import LarderEngine

/// Product lists of a shop, scrolled back and forth.
enum ProductImagesGenerator: Generator {
  static let description = GeneratorDescription(
    name: "product-images",
    summary: """
      A shopper opens popular categories, scrolls through the list from its top, down and back \
      up, and sometimes opens a product for its large pictures. Pictures never change.
      """,
    parameters: parameters, columns: [.size, .time],
    source: """
      Our model of a shop's app; the figures are plausible round numbers, not measurements.
      """)

  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan {
    let parameters = setup.parameters
    let categories = try parameters.whole("categories")
    let products = try parameters.whole("products")
    let details = try parameters.whole("pictures")
    let thumbnails = categories * products
    guard thumbnails * (1 + details) <= Parameter.objectsMax else {
      throw parameters.wrong(
        "products", expected: "fewer: at most 4294967294 pictures are possible")
    }
    let sigma = try parameters.number("sigma")
    let low: UInt32 = 256
    let high: UInt32 = 64 << 20
    let small = DistributionRegistry.logNormal(
      median: Double(try parameters.whole("thumbnail-size")), sigma: sigma, low: low, high: high)
    let large = DistributionRegistry.logNormal(
      median: Double(try parameters.whole("picture-size")), sigma: sigma, low: low, high: high)
    let users = try parameters.whole("users")
    let settings = ProductImagesCursor.Settings(
      products: products, pictures: details, thumbnails: thumbnails,
      run: try parameters.number("run"), runs: try parameters.number("runs"),
      back: try parameters.number("back"), open: try parameters.number("open"),
      pause: try parameters.number("pause") / Double(users), users: users)
    let sampler = ZipfSampler(count: categories, exponent: try parameters.number("exponent"))
    let (seed, objectSeed) = (setup.seed, setup.objectSeed)
    return GeneratorPlan(keyLimit: thumbnails * (1 + details)) {
      ProductImagesCursor(
        settings, categories: sampler, seed: seed,
        small: ObjectValues(small, keyLimit: thumbnails, seed: objectSeed),
        large: ObjectValues(large, keyLimit: thumbnails * (1 + details), seed: objectSeed))
    }
  }

  private static let parameters = [
    Parameter(
      "users", .count(1...1_000_000), default: "1",
      "Shoppers that share the cache: 1 for a phone, more for a server."),
    Parameter("categories", .count(1...1_000_000), default: "100", "Categories."),
    Parameter("products", .count(1...1_000_000), default: "400", "Products per list."),
    .exponent(default: "0.9", "Exponent of Zipf's law over the categories."),
    Parameter(
      "run", .number(1...100_000), default: "24",
      "Mean number of pictures scrolled in one direction before the shopper stops."),
    Parameter(
      "runs", .number(1...100_000), default: "8",
      "Mean number of scrolls per visit."),
    Parameter(
      "back", .share, default: "35%", "Probability of scrolling back up after a stop."),
    Parameter(
      "open", .share, default: "20%", "Probability of opening a product after a stop."),
    Parameter(
      "pictures", .count(1...100), default: "4",
      "Large pictures per product, viewed in order, each next one with probability 1/2."),
    Parameter(
      "pause", .duration(1...31_536_000), default: "3h",
      "Mean time between two visits of a shopper."),
    Parameter(
      "thumbnail-size", .bytes(256...16_777_216), default: "15KiB",
      "Median size of a picture in a list."),
    Parameter(
      "picture-size", .bytes(256...16_777_216), default: "120KiB",
      "Median size of a large picture."),
    Parameter(
      "sigma", .number(0...5), default: "0.6", "Spread of the sizes (log-normal)."),
  ]
}

/// Pictures that shoppers see, one scroll at a time.
final class ProductImagesCursor: RecordCursor {
  struct Settings: Sendable {
    var products: Int
    var pictures: Int
    /// Number of pictures in lists; their keys come before those of large pictures.
    var thumbnails: Int
    var run: Double
    var runs: Double
    var back: Double
    var open: Double
    /// Seconds between two visits, over all shoppers.
    var pause: Double
    var users: Int
  }

  /// Position of a shopper; nothing is left to scroll between two visits.
  private struct Shopper {
    var category = 0
    var position = 0
    var runsLeft = 0
  }

  private let settings: Settings
  private let categories: ZipfSampler
  private var random: RandomStream
  private var small: ObjectValues
  private var large: ObjectValues
  private var shoppers: [Shopper]
  private var time = 0.0
  private var burst: [TraceRecord] = []
  private var handedOut = 0

  init(
    _ settings: Settings, categories: ZipfSampler, seed: UInt64, small: ObjectValues,
    large: ObjectValues
  ) {
    self.settings = settings
    self.categories = categories
    self.small = small
    self.large = large
    random = RandomStream(seed: seed, purpose: 0x54f)
    shoppers = [Shopper](repeating: Shopper(), count: settings.users)
  }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) -> Int {
    while handedOut == burst.count {
      burst.removeAll(keepingCapacity: true)
      handedOut = 0
      scroll(Int(random.next(below: UInt64(settings.users))))
    }
    let count = min(buffer.count, burst.count - handedOut)
    for place in 0..<count { buffer[place] = burst[handedOut + place] }
    handedOut += count
    return count
  }

  /// One scroll of a shopper, and the product opened at its end.
  private func scroll(_ index: Int) {
    var shopper = shoppers[index]
    var direction = 1
    if shopper.runsLeft == 0 {
      time += random.nextExponential() * settings.pause
      shopper.category = Int(categories.rank(&random)) - 1
      shopper.position = 0
      shopper.runsLeft = 1 + random.nextGeometric(mean: settings.runs - 1)
      show(shopper.category, 0)
    } else if random.nextUnit() < settings.back {
      direction = -1
    }
    let wanted = 1 + random.nextGeometric(mean: settings.run - 1)
    for _ in 0..<min(wanted, settings.products) {
      let next = shopper.position + direction
      guard next >= 0, next < settings.products else { break }
      shopper.position = next
      time += 0.1
      show(shopper.category, next)
    }
    time += 0.5 + random.nextExponential()
    if random.nextUnit() < settings.open { open(shopper.category, shopper.position) }
    shopper.runsLeft -= 1
    shoppers[index] = shopper
  }

  private func show(_ category: Int, _ position: Int) {
    let key = UInt64(category * settings.products + position)
    write(key, small.value(of: key))
  }

  private func open(_ category: Int, _ position: Int) {
    let product = category * settings.products + position
    var picture = 0
    repeat {
      let key = UInt64(settings.thumbnails + product * settings.pictures + picture)
      write(key, large.value(of: key))
      time += 1 + 2 * random.nextExponential()
      picture += 1
    } while picture < settings.pictures && random.nextUnit() < 0.5
  }

  private func write(_ key: UInt64, _ size: UInt32) {
    burst.append(TraceRecord(key: key, time: UInt64(min(time, 1e12) * 1e6), size: size))
  }
}
