/// Hill climbing on the hit ratio: moves a border one way as long as a period of requests hits more
/// often than the one before, and turns round when it hits less.
///
/// Caffeine's constants: steps begin with 1/16 of the capacity and shrink by 2 % each; a change of
/// the hit ratio of 5 points or more starts over (Einziger, Eytan, Friedman and Manes, Adaptive
/// software cache management, Middleware 2018).
struct WindowClimber {
  /// How many objects change sides in one call, so that no request waits for a whole step.
  static var movesAtOnce: Int { 1000 }

  private static var stepShare: Double { 0.0625 }
  private static var stepDecay: Double { 0.98 }
  private static var restartChange: Double { 0.05 }

  /// Whether the border moves at all.
  let isUsed: Bool
  /// The capacity of the cache.
  let capacity: UInt64
  /// Whether the cache was ever full: before, hits say nothing.
  var isFull = false
  /// How far the border is still to move: positive to a larger window.
  var pending: Int64 = 0

  private var hits: UInt64 = 0
  private var requests: UInt64 = 0
  private var previousRatio = 0.0
  private var step: Double

  /// A climber for a cache of `capacity`.
  init(isUsed: Bool, capacity: UInt64) {
    self.isUsed = isUsed
    self.capacity = capacity
    step = -WindowClimber.stepShare * Double(capacity)
  }

  /// Takes note of a request, and after `period` of them sets the next step.
  @inline(__always)
  mutating func count(isHit: Bool, period: UInt64) {
    guard isFull else { return }
    requests += 1
    if isHit { hits += 1 }
    if requests >= period { climb() }
  }

  @inline(never)
  private mutating func climb() {
    let ratio = Double(hits) / Double(requests)
    let change = ratio - previousRatio
    let amount = change >= 0 ? step : -step
    if abs(change) >= WindowClimber.restartChange {
      let first = WindowClimber.stepShare * Double(capacity)
      step = amount >= 0 ? first : -first
    } else {
      step = amount * WindowClimber.stepDecay
    }
    previousRatio = ratio
    pending = Int64(amount)
    hits = 0
    requests = 0
  }
}
