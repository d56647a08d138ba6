/// A shop's lists of products, scrolled back and forth.
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
    let categories = try parameters.count("categories")
    let products = try parameters.count("products")
    let details = try parameters.count("pictures")
    let thumbnails = categories * products
    guard thumbnails * (1 + details) <= GeneratorParameter.objectsMax else {
      throw parameters.badValue(
        "products", expected: "fewer: at most 4294967294 pictures are possible")
    }
    let sigma = try parameters.number("sigma")
    let low: UInt32 = 256
    let high: UInt32 = 64 << 20
    let small = DistributionRegistry.logNormal(
      median: Double(try parameters.bytes("thumbnail-size")), sigma: sigma, low: low, high: high)
    let large = DistributionRegistry.logNormal(
      median: Double(try parameters.bytes("picture-size")), sigma: sigma, low: low, high: high)
    let users = try parameters.count("users")
    let settings = ProductImagesCursor.Settings(
      products: products, pictures: details, thumbnails: thumbnails,
      run: try parameters.number("run"), runs: try parameters.number("runs"),
      back: try parameters.share("back"), open: try parameters.share("open"),
      pause: try parameters.seconds("pause") / Double(users), users: users)
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
    GeneratorParameter(
      "users", .count(1...1_000_000), default: "1",
      "Shoppers that share the cache: 1 for a phone, more for a server."),
    GeneratorParameter("categories", .count(1...1_000_000), default: "100", "Categories."),
    GeneratorParameter("products", .count(1...1_000_000), default: "400", "Products per list."),
    .exponent(default: "0.9", "Exponent of Zipf's law over the categories."),
    GeneratorParameter(
      "run", .number(1...100_000), default: "24",
      "Mean number of pictures scrolled in one direction before the shopper stops."),
    GeneratorParameter(
      "runs", .number(1...100_000), default: "8",
      "Mean number of scrolls per visit."),
    GeneratorParameter(
      "back", .share, default: "35%", "Probability of scrolling back up after a stop."),
    GeneratorParameter(
      "open", .share, default: "20%", "Probability of opening a product after a stop."),
    GeneratorParameter(
      "pictures", .count(1...100), default: "4",
      "Large pictures per product, viewed in order, each next one with probability 1/2."),
    GeneratorParameter(
      "pause", .duration(1...31_536_000), default: "3h",
      "Mean time between two visits of a shopper."),
    GeneratorParameter(
      "thumbnail-size", .bytes(256...16_777_216), default: "15KiB",
      "Median size of a picture in a list."),
    GeneratorParameter(
      "picture-size", .bytes(256...16_777_216), default: "120KiB",
      "Median size of a large picture."),
    GeneratorParameter(
      "sigma", .number(0...5), default: "0.6", "Spread of the sizes (log-normal)."),
  ]
}
