/// The hit ratio that an LRU cache would have if it stored objects with probability
/// e^(-size / 2^exponent), from the request rates and sizes of its objects.
///
/// A Markov chain of each object's place in the list, solved for the time that an object stays
/// (sections 4.1 and 4.2 of the paper). Every function is O(objects).
struct AdaptSizeModel {
  /// Bytes.
  let capacity: Double
  /// Requests of each object in an interval.
  let rates: [Double]
  /// Size of each object, bytes.
  let sizes: [Double]

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
    let probabilities = sizes.map { DeterministicMath.exp(-$0 / scale) }
    guard let life = life(probabilities) else { return 0 }
    var sum = 0.0
    for place in rates.indices {
      sum += rates[place] * Self.hitRatio(rates[place] * life, probabilities[place])
    }
    return sum
  }

  /// How long an object stays without being requested, in intervals.
  private func life(_ probabilities: [Double]) -> Double? {
    var admitted = 0.0
    for place in rates.indices { admitted += rates[place] * probabilities[place] * sizes[place] }
    guard admitted > 0 else { return nil }
    var life = capacity / admitted
    for _ in 0..<20 where life < 1e70 {
      var occupied = 0.0
      for place in rates.indices {
        let requests = rates[place] * life
        // Beyond that the object is there for certain, and e^x is too large to calculate with.
        guard requests <= 150 else {
          occupied += sizes[place]
          continue
        }
        let odds = probabilities[place] * (DeterministicMath.exp(requests) - 1)
        occupied += sizes[place] * odds / (1 + odds)
      }
      guard occupied > 0 else { return nil }
      life = capacity * life / occupied
    }
    return life
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
