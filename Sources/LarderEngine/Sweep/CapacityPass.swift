/// One pass over a trace of gets of unit size that keeps what caches of one policy at several
/// capacities hold, in a form in which they share work.
///
/// What it tallies for a capacity must be what a simulation of the policy at that capacity alone
/// comes to: `CapacitySweepTests` compares the two.
protocol CapacityPass: ~Copyable {
  /// Replays requests from `start` up to but not including `end`.
  mutating func replay(_ columns: RequestColumns, from start: Int, to end: Int)

  /// For each capacity, in the order given: the misses so far, each of which was stored, and how
  /// many objects are resident.
  var tallies: [CapacityTally] { get }

  /// Memory held, in bytes.
  var bytes: Int { get }
}

/// What one capacity of a `CapacityPass` comes to.
struct CapacityTally {
  /// Misses from the start, each of which was stored.
  var misses: UInt64 = 0
  /// Resident objects.
  var residents: UInt64 = 0
}
