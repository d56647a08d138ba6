/// The hit ratio that an LRU cache would have if it stored objects with probability
/// e^(-size / 2^exponent), from the request rates and sizes of its objects.
///
/// A Markov chain of each object's place in the list, solved for the time that an object stays
/// (sections 4.1 and 4.2 of the paper). Every function is O(groups): objects whose rates and whose
/// sizes agree in their first four bits are one group with the mean rate and size. That is some
/// hundred to some thousand groups for any number of objects; means within 6 % of each value change
/// the model by the square of that.
struct AdaptSizeModel {
  /// Objects that are alike.
  private struct Group {
    var objects = 0.0
    var rate = 0.0
    var size = 0.0
  }

  /// Bytes.
  private let capacity: Double
  /// How many objects each group has, and their mean requests in an interval and size in bytes.
  private let groups: [Group]

  /// A model of objects that were requested at these rates, and have these sizes. O(objects).
  init(capacity: Double, objects: some Sequence<(rate: Float, size: UInt32)>) {
    self.capacity = capacity
    var places: [UInt32: Int] = [:]
    var groups: [Group] = []
    for (rate, size) in objects {
      let key = Self.leading(rate) << 16 | Self.leading(Float(size))
      let place = places[key] ?? groups.count
      if place == groups.count {
        places[key] = place
        groups.append(Group())
      }
      groups[place].objects += 1
      groups[place].rate += Double(rate)
      groups[place].size += Double(size)
    }
    self.groups = groups.map {
      Group(objects: $0.objects, rate: $0.rate / $0.objects, size: $0.size / $0.objects)
    }
  }

  /// The exponent and the first four bits of a number that is not negative.
  private static func leading(_ value: Float) -> UInt32 { value.bitPattern >> 20 }

  /// The exponent of the best scale: a coarse search, and a golden section around its best.
  func bestExponent() -> Double {
    let golden = 0.618_033_99
    let highest = DeterministicMath.log(capacity) / DeterministicMath.log(2)
    var (low, high) = (0.0, highest)
    var best = (exponent: highest, hits: hits(highest))
    var exponent = 2.0
    while exponent < highest {
      let hits = hits(exponent)
      if hits > best.hits { best = (exponent, hits) }
      exponent += 4
    }
    (low, high) = (max(0, best.exponent - 4), min(highest, best.exponent + 4))
    var left = high - golden * (high - low)
    var right = low + golden * (high - low)
    var (hitsLeft, hitsRight) = (hits(left), hits(right))
    for _ in 0..<15 where high - low > 0.01 {
      if hitsRight > hitsLeft {
        (low, left, hitsLeft) = (left, right, hitsRight)
        right = low + golden * (high - low)
        hitsRight = hits(right)
      } else {
        (high, right, hitsRight) = (right, left, hitsLeft)
        left = high - golden * (high - low)
        hitsLeft = hits(left)
      }
    }
    let (found, hits) = hitsLeft > hitsRight ? (left, hitsLeft) : (right, hitsRight)
    return hits > best.hits ? found : best.exponent
  }

  /// Hits in an interval.
  func hits(_ exponent: Double) -> Double {
    let scale = DeterministicMath.pow(2, exponent)
    let probabilities = groups.map { DeterministicMath.exp(-$0.size / scale) }
    guard let life = life(scale, probabilities) else { return 0 }
    var sum = 0.0
    for (group, probability) in zip(groups, probabilities) {
      sum += group.objects * group.rate * Self.hitRatio(group.rate * life, probability)
    }
    return sum
  }

  /// From then on everything that is stored at all is there for good.
  private static let lifeMax = 1e12

  /// How long an object stays without being requested, in intervals: the time for which what is
  /// there fills the cache; nil where nothing is stored.
  ///
  /// Where the paper multiplies the time by capacity / occupied 20 times, this is Newton's method
  /// on the logarithms of both, kept between the bounds that are known: some ten steps to five
  /// digits.
  private func life(_ scale: Double, _ probabilities: [Double]) -> Double? {
    var admitted = 0.0
    for (group, probability) in zip(groups, probabilities) {
      admitted += group.objects * group.rate * probability * group.size
    }
    guard admitted > 0 else { return nil }
    var life = capacity / admitted
    var (low, high) = (0.0, Double.infinity)
    for _ in 0..<40 {
      guard life < Self.lifeMax else { return Self.lifeMax }
      let (occupied, growth) = occupied(life, scale, probabilities)
      guard occupied > 0 else { return nil }
      let missing = DeterministicMath.log(capacity / occupied)
      if abs(missing) < 1e-5 { break }
      if missing > 0 { low = life } else { high = life }
      let step = min(max(missing / max(growth / occupied, 0.05), -4), 4)
      let next = life * DeterministicMath.exp(step)
      if next > low, next < high {
        life = next
      } else if low > 0, high < .infinity {
        life = (low * high).squareRoot()
      } else {
        life *= missing > 0 ? 8 : 0.125
      }
    }
    return life
  }

  /// The bytes of the objects that are there, on average, if they stay that long; and by how many
  /// bytes more for each e-fold of the time.
  private func occupied(
    _ life: Double, _ scale: Double, _ probabilities: [Double]
  ) -> (bytes: Double, growth: Double) {
    var occupied = 0.0
    var growth = 0.0
    for (group, probability) in zip(groups, probabilities) {
      let requests = group.rate * life
      let bytes = group.objects * group.size
      // p (e^x - 1) with p = e^(-size / scale), which may be too small a number by itself.
      let exponent = requests - group.size / scale
      guard exponent < 40 else {
        occupied += bytes
        continue
      }
      let power = DeterministicMath.exp(exponent)
      let odds = power - probability
      occupied += bytes * odds / (1 + odds)
      growth += bytes * requests * power / ((1 + odds) * (1 + odds))
    }
    return (occupied, growth)
  }

  /// The share of requests that hit, from the requests expected while the object stays: the
  /// authors' rational approximation of p (e^x - 1) / (1 + p (e^x - 1)), kept between 0 and 1.
  private static func hitRatio(_ x: Double, _ p: Double) -> Double {
    let square = x * x
    let cube = square * x
    let above = x * p * (840 + 60 * x + 20 * square + cube)
    let below =
      840 + 120 * x * (7 * p - 3) + 60 * square * (1 + p) + 4 * cube * (5 * p - 1)
      + square * square * p
    guard below != 0 else { return 0 }
    return min(max(above / below, 0), 1)
  }
}
