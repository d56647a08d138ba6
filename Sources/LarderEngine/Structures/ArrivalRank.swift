/// The rank of LA-Cache: the delay that an object's requests are expected to cause in the time of a
/// fetch, per byte.
///
/// With requests arriving at random at `rate`, and x = rate * latency of them during a fetch, it is
/// x (x + 1) / (x + 2) / (size + 1). An object that was not requested for 12 times its mean
/// interval has a rate of one in the time since its last request. Of equal ranks that of the object
/// that came or was hit least recently goes first.
struct ArrivalRank: FallingRank {
  var id: ObjectID
  /// Requests per microsecond, or 0 where that is not known.
  var rate: Double
  /// What a fetch takes, in microseconds.
  var latency: Double
  /// In bytes or objects, plus 1.
  var size: Double
  /// The time of the last request.
  var last: UInt64
  /// The number of the hit or the insertion.
  var order: UInt64

  private static var patience: Double { 12 }

  func isLower(than other: ArrivalRank, at now: UInt64) -> Bool {
    let (first, second) = (value(at: now), other.value(at: now))
    return first == second ? order < other.order : first < second
  }

  /// The winner's rank falls, too, so that this one cannot be lower before it has fallen to what
  /// the winner's is now.
  func overtaking(_ winner: ArrivalRank, at now: UInt64) -> UInt64 {
    let aim = winner.value(at: now) * size
    guard aim > 0, rate > 0 else { return .max }
    let own = age(at: now)
    let isAged = hasAged(own)
    if isAged, winner.hasAged(winner.age(at: now)), latency == winner.latency, size == winner.size,
      last >= winner.last
    {
      return .max
    }
    let needed = latency / ArrivalRank.arrivals(ofDelay: aim)
    return time(max(needed, isAged ? 0 : ArrivalRank.patience / rate) - own, after: now)
  }

  /// In this order of operations, as in the authors' program.
  private func value(at now: UInt64) -> Double {
    let age = age(at: now)
    let arrivals = (hasAged(age) ? 1 / age : rate) * latency
    return arrivals * (arrivals + 1) / (arrivals + 2) / size
  }

  private func hasAged(_ age: Double) -> Bool { rate > 0 && age >= ArrivalRank.patience / rate }

  private func age(at now: UInt64) -> Double { Double(max(now, last) - last + 1) }

  /// The x for which x (x + 1) / (x + 2) is `delay`.
  private static func arrivals(ofDelay delay: Double) -> Double {
    let root = ((1 - delay) * (1 - delay) + 8 * delay).squareRoot()
    // Two forms of one root: each is exact where the other subtracts what is nearly equal.
    return delay < 1 ? 4 * delay / (root + 1 - delay) : (root + delay - 1) / 2
  }
}
