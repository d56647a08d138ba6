/// The rank of LRU-MAD: a rate divided by the time since the object's last request, plus 1. Of
/// equal ranks that of the object requested least recently goes first.
struct DelayRank: FallingRank {
  var id: ObjectID
  var rate: Double
  /// The time of the last request.
  var last: UInt64
  /// The number of that request: those of the same time have an order.
  var order: UInt64

  func isLower(than other: DelayRank, at now: UInt64) -> Bool {
    let (first, second) = (value(at: now), other.value(at: now))
    return first == second ? order < other.order : first < second
  }

  /// Ranks cross once at most: when the one that was not lower has the lower rate.
  func overtaking(_ winner: DelayRank, at now: UInt64) -> UInt64 {
    guard rate < winner.rate else { return .max }
    let (own, other) = (Double(winner.age(at: now)), Double(age(at: now)))
    return time((rate * own - winner.rate * other) / (winner.rate - rate), after: now)
  }

  /// In this order of operations, by which the reference counts were made.
  private func value(at now: UInt64) -> Double { rate / Double(age(at: now)) }

  private func age(at now: UInt64) -> UInt64 { max(now, last) - last + 1 }
}
