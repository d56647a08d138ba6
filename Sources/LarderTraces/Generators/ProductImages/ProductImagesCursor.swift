/// The pictures that shoppers see, one scroll at a time.
final class ProductImagesCursor: RecordCursor {
  /// The parameters, read.
  struct Settings: Sendable {
    var products: Int
    var pictures: Int
    /// Number of pictures in lists, whose keys come before those of large pictures.
    var thumbnails: Int
    var run: Double
    var runs: Double
    var back: Double
    var open: Double
    /// Seconds between two visits of anybody.
    var pause: Double
    var users: Int
  }

  /// Where a shopper is: nothing is left to scroll between two visits.
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

  /// One scroll of a shopper, and what is opened at its end.
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
