/// What a simulated request costs with each policy, for plans.
///
/// Measured: means over all cells of the kept runs in `Results/examples/policies`, one thread, AMD
/// EPYC; `PolicyCostTests` compares the table with them. Traces with sizes, sets and times to live
/// are among them, so replaying gets of unit size is up to twice as fast. Estimates decide how
/// cells are divided into parts and what a scheduler is asked for, and nothing that is counted.
package struct PolicyCost: Hashable, Sendable {
  /// Nanoseconds for each request.
  package let nanoseconds: Double
  /// Bytes of memory for each distinct object of the trace, at most.
  package let bytesPerObject: Double

  /// The cost of a policy, by name. One that is not in the table is taken for a slow one.
  package static func of(_ policy: String) -> PolicyCost { table[policy] ?? unknown }

  private static let unknown = PolicyCost(nanoseconds: 100, bytesPerObject: 100)

  static let table: [String: PolicyCost] = [
    "fifo": PolicyCost(nanoseconds: 7.8, bytesPerObject: 22),
    "lru": PolicyCost(nanoseconds: 8.6, bytesPerObject: 22),
    "mru": PolicyCost(nanoseconds: 8.8, bytesPerObject: 22),
    "lfu": PolicyCost(nanoseconds: 12.4, bytesPerObject: 26),
    "lfuda": PolicyCost(nanoseconds: 28.4, bytesPerObject: 38),
    "hyperbolic": PolicyCost(nanoseconds: 88.4, bytesPerObject: 34),
    "random": PolicyCost(nanoseconds: 10.8, bytesPerObject: 22),
    "clock": PolicyCost(nanoseconds: 10.3, bytesPerObject: 22),
    "sieve": PolicyCost(nanoseconds: 8.6, bytesPerObject: 27),
    "slru": PolicyCost(nanoseconds: 13.7, bytesPerObject: 23),
    "lru-k": PolicyCost(nanoseconds: 37.0, bytesPerObject: 34),
    "2q": PolicyCost(nanoseconds: 14.0, bytesPerObject: 27),
    "mq": PolicyCost(nanoseconds: 21.7, bytesPerObject: 34),
    "arc": PolicyCost(nanoseconds: 15.3, bytesPerObject: 27),
    "car": PolicyCost(nanoseconds: 17.7, bytesPerObject: 28),
    "lirs": PolicyCost(nanoseconds: 22.6, bytesPerObject: 40),
    "clock-pro": PolicyCost(nanoseconds: 18.2, bytesPerObject: 27),
    "s3-fifo": PolicyCost(nanoseconds: 14.7, bytesPerObject: 32),
    "qd-lp": PolicyCost(nanoseconds: 14.8, bytesPerObject: 32),
    "tinylfu": PolicyCost(nanoseconds: 25.5, bytesPerObject: 28),
    "w-tinylfu": PolicyCost(nanoseconds: 36.7, bytesPerObject: 33),
    "lhd": PolicyCost(nanoseconds: 59.7, bytesPerObject: 401),
    "lecar": PolicyCost(nanoseconds: 42.2, bytesPerObject: 44),
    "cacheus": PolicyCost(nanoseconds: 43.2, bytesPerObject: 46),
    "gdsf": PolicyCost(nanoseconds: 30.4, bytesPerObject: 38),
    "greedydual": PolicyCost(nanoseconds: 28.0, bytesPerObject: 34),
    "ttl": PolicyCost(nanoseconds: 27.1, bytesPerObject: 34),
    "cost": PolicyCost(nanoseconds: 30.3, bytesPerObject: 34),
    "belady": PolicyCost(nanoseconds: 29.8, bytesPerObject: 34),
    "belady-size": PolicyCost(nanoseconds: 97.6, bytesPerObject: 38),
    "pfoo-u": PolicyCost(nanoseconds: 146.1, bytesPerObject: 362),
  ]
}
