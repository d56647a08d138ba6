@testable import LarderEngine

/// Recent request counts from the engine's own sketch: a model could not know better which counters
/// two keys share. The model reimplements the use of the estimates.
final class NaiveSketch {
  private var counts: SketchedCounts

  init(_ spec: PolicySpec, capacity: UInt64, unit: CapacityUnit) {
    counts = SketchedCounts(
      PolicySetup(capacity: capacity, unit: unit, objects: 1, spec: spec))
  }

  func count(_ id: ObjectID) { counts.countMiss(Request(id: id)) }
  func estimate(_ id: ObjectID) -> UInt32 { counts.estimate(Request(id: id)) }
  func enter() { counts.enter(Request(id: 1)) }
  func leave() { counts.leave() }
  func raise(_ heir: NaiveHeir) {
    while estimate(heir.id) < min(15, heir.requests + 1) {
      _ = counts.sketch.incrementLowest(Request(id: heir.id).fingerprint)
    }
  }
  var period: UInt64 { counts.period }
}
