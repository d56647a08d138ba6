/// How many evicted objects 3L-Cache remembers: a multiple of the residents that grows while enough
/// requests would find more.
package struct HistoryLength {
  /// Times the residents, at most, residents included.
  package static var most: Int { 6 }

  private var multiple = 2
  private var requests: UInt64 = 0
  private var hits: UInt64 = 0
  private var found: UInt64 = 0
  // The largest age at which an object was forgotten: before the last training, and since.
  private var forgottenAge = (before: UInt64(0), since: UInt64(0))
  /// Whether objects were forgotten with this multiple.
  package var isFull = false

  /// Twice the residents, and nothing seen.
  package init() {}

  /// Places for evicted objects.
  package func evictedMax(residents: Int) -> Int { residents * (multiple - 1) + 2 }

  /// A request; an object that is known is resident or remembered.
  package mutating func note(isHit: Bool, isKnown: Bool) {
    guard isFull else { return }
    requests += 1
    if isHit { hits += 1 }
    if isKnown { found += 1 }
  }

  /// The label of an object that is forgotten at an age: its age, and what others had.
  package mutating func label(afterForgetting age: UInt64) -> UInt64 {
    let label = forgottenAge.before + age
    forgottenAge.since = max(forgottenAge.since, age)
    return label
  }

  /// A model was trained.
  package mutating func adapt() {
    forgottenAge.before = forgottenAge.since
    guard requests > 1_000_000, isFull else { return }
    let ghosts = found - hits
    // With no hits at all, any ghost that was found is worth it.
    if Double(ghosts) > 0.01 * Double(hits) * Double(multiple - 1) {
      if UInt64(multiple - 1) < (requests - hits) / ghosts {
        multiple += 1
        isFull = false
      }
      multiple = min(multiple, HistoryLength.most)
    }
    (requests, hits, found) = (0, 0, 0)
  }
}
