/// A shop's lists of products, scrolled back and forth.
enum ProductImagesGenerator: Generator {
  static let description = GeneratorDescription(
    name: "product-images",
    summary: """
      A shopper opens popular categories, scrolls down the list from its top, back up and down \
      again, and opens a product now and then for its large pictures. Pictures never change.
      """,
    parameters: parameters, columns: [.size, .time],
    source: """
      Our model of a shop's app; no measurement stands behind the figures, which are plausible \
      round numbers.
      """)

  static func plan(_ setup: GeneratorSetup) throws(ComponentError) -> GeneratorPlan {
    let parameters = setup.parameters
    let categories = try parameters.count("categories")
    let products = try parameters.count("products")
    let details = try parameters.count("pictures")
    let thumbnails = categories * products
    guard thumbnails * (1 + details) <= GeneratorParameter.objectsMax else {
      throw parameters.badValue(
        "products", expected: "fewer: there would be more than 4294967294 pictures")
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
      "Shoppers behind the cache: 1 is a phone, more a server."),
    GeneratorParameter("categories", .count(1...1_000_000), default: "100", "Lists of products."),
    GeneratorParameter("products", .count(1...1_000_000), default: "400", "Products of a list."),
    .exponent(default: "0.9", "Exponent of Zipf's law over the categories."),
    GeneratorParameter(
      "run", .number(1...100_000), default: "24",
      "Pictures that pass in one direction before the shopper stops, on average."),
    GeneratorParameter(
      "runs", .number(1...100_000), default: "8",
      "Times a shopper scrolls in one visit, on average."),
    GeneratorParameter(
      "back", .share, default: "35%", "Chance that the shopper scrolls back up after a stop."),
    GeneratorParameter(
      "open", .share, default: "20%", "Chance that the shopper opens a product after a stop."),
    GeneratorParameter(
      "pictures", .count(1...100), default: "4",
      "Large pictures of a product, looked at one after the other, each next with even chances."),
    GeneratorParameter(
      "pause", .duration(1...31_536_000), default: "3h",
      "Time between two visits of a shopper on average."),
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
