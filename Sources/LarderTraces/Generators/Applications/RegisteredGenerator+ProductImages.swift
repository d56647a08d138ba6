import LarderEngine

extension RegisteredGenerator {
  static let productImages = RegisteredGenerator(
    name: "product-images",
    summary: """
      A shopper opens popular categories, scrolls down and up their lists, and sometimes opens a \
      product for its large pictures. Pictures never change.
      """,
    parameters: [
      .count("users", 1...1_000_000, "1", "Shoppers: 1 for a phone, more for a server."),
      .count("categories", 1...1_000_000, "100", "Categories."),
      .count("products", 1...1_000_000, "400", "Products per list."),
      .exponent("0.9", "Exponent of Zipf's law over the categories."),
      .number("run", 1...100_000, "24", "Mean pictures scrolled in one direction before a stop."),
      .number("runs", 1...100_000, "8", "Mean scrolls per visit."),
      .share("back", "35%", "Probability of scrolling back up after a stop."),
      .share("open", "20%", "Probability of opening a product after a stop."),
      .count("pictures", 1...100, "4", "Pictures per product, each next one seen with 1/2."),
      .time("pause", 1...31_536_000, "3h", "Mean time between two visits of a shopper."),
      .medianSize("thumbnail-size", "15KiB", "a picture in a list"),
      .medianSize("picture-size", "120KiB", "a large picture"),
      .number("sigma", 0...5, "0.6", "Spread of the sizes (log-normal)."),
    ],
    columns: [.size, .time], source: "Our model of a shop's app; plausible round numbers."
  ) { setup throws(ComponentError) in
    let stream = try ProductImagesStream(setup)
    return GeneratorPlan(keyLimit: stream.pictureLimit, stream: stream)
  }
}

private struct ProductImagesStream: BurstStream {
  /// Position of a shopper; nothing is left to scroll between two visits.
  private struct Shopper {
    var category = 0
    var position = 0
    var runsLeft = 0
  }

  var burst = Burst()
  private let products: Int
  private let pictures: Int
  /// Number of pictures in lists; their keys come before those of large pictures.
  private let thumbnails: Int
  let pictureLimit: Int
  private let run: Double
  private let runs: Double
  private let back: Double
  private let open: Double
  private let pause: Double
  private let categories: ZipfSampler
  private var random: RandomStream
  private var small: ObjectValues
  private var large: ObjectValues
  private var shoppers: [Shopper]
  private var time = 0.0

  init(_ setup: GeneratorSetup) throws(ComponentError) {
    let lists = try setup.whole("categories")
    products = try setup.whole("products")
    pictures = try setup.whole("pictures")
    thumbnails = lists * products
    pictureLimit = thumbnails * (1 + pictures)
    guard pictureLimit <= Parameter.objectsMax else {
      throw setup.parameters.wrong(
        "products", expected: "fewer: at most 4294967294 pictures are possible")
    }
    let users = try setup.whole("users")
    run = try setup.number("run")
    runs = try setup.number("runs")
    back = try setup.number("back")
    open = try setup.number("open")
    pause = try setup.number("pause") / Double(users)
    categories = try setup.sampler(of: lists)
    random = RandomStream(seed: setup.seed, purpose: 0x54f)
    let sigma = try setup.number("sigma")
    let bounds: ClosedRange<UInt32> = 256...64 << 20
    small = ObjectValues(
      try setup.sizes("thumbnail-size", sigma: sigma, bounds), keyLimit: thumbnails,
      seed: setup.objectSeed)
    large = ObjectValues(
      try setup.sizes("picture-size", sigma: sigma, bounds), keyLimit: pictureLimit,
      seed: setup.objectSeed)
    shoppers = [Shopper](repeating: Shopper(), count: users)
  }

  mutating func step() {
    let index = Int(random.next(below: UInt64(shoppers.count)))
    var shopper = shoppers[index]
    var direction = 1
    if shopper.runsLeft == 0 {
      time += random.nextExponential() * pause
      shopper.category = Int(categories.rank(&random)) - 1
      shopper.position = 0
      shopper.runsLeft = 1 + random.nextGeometric(mean: runs - 1)
      show(shopper.category, 0)
    } else if random.nextUnit() < back {
      direction = -1
    }
    let wanted = 1 + random.nextGeometric(mean: run - 1)
    for _ in 0..<min(wanted, products) {
      let next = shopper.position + direction
      guard next >= 0, next < products else { break }
      shopper.position = next
      time += 0.1
      show(shopper.category, next)
    }
    time += 0.5 + random.nextExponential()
    if random.nextUnit() < open { look(shopper.category, shopper.position) }
    shopper.runsLeft -= 1
    shoppers[index] = shopper
  }

  private mutating func show(_ category: Int, _ position: Int) {
    let key = UInt64(category * products + position)
    write(key, small.value(of: key))
  }

  private mutating func look(_ category: Int, _ position: Int) {
    let product = category * products + position
    var picture = 0
    repeat {
      let key = UInt64(thumbnails + product * pictures + picture)
      write(key, large.value(of: key))
      time += 1 + 2 * random.nextExponential()
      picture += 1
    } while picture < pictures && random.nextUnit() < 0.5
  }

  private mutating func write(_ key: UInt64, _ size: UInt32) {
    burst.append(TraceRecord(key: key, time: UInt64(min(time, 1e12) * 1e6), size: size))
  }
}
