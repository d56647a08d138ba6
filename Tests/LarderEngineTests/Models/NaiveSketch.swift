@testable import LarderEngine

/// How often objects were requested lately, by the engine's own sketch: which counters two keys
/// share is nothing a model could know better. What a policy makes of the estimates is its own.
final class NaiveSketch {
  private var counts: SketchedCounts

  init(_ spec: PolicySpec, capacity: UInt64, unit: CapacityUnit) throws {
    counts = try SketchedCounts(
      PolicySetup(capacity: capacity, unit: unit, objects: 1, spec: spec))
  }

  func count(_ id: ObjectID) { counts.countMiss(Request(id: id)) }
  func estimate(_ id: ObjectID) -> UInt32 { counts.estimate(Request(id: id)) }
  /// As the number of resident objects grows, so does the sketch. Whose they are plays no part.
  func enter() { counts.enter(Request(id: 1)) }
  func leave() { counts.leave() }
  /// Additions after which all is halved.
  var period: UInt64 { counts.period }
}
