/// What a simulated request costs with each policy, for plans and for how much a search may try.
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
    "fifo": PolicyCost(nanoseconds: 12.7, bytesPerObject: 22),
    "lru": PolicyCost(nanoseconds: 13.4, bytesPerObject: 22),
    "mru": PolicyCost(nanoseconds: 13.2, bytesPerObject: 22),
    "lru-mad": PolicyCost(nanoseconds: 136.4, bytesPerObject: 106),
    "lfu": PolicyCost(nanoseconds: 17.8, bytesPerObject: 26),
    "lfuda": PolicyCost(nanoseconds: 38.5, bytesPerObject: 38),
    "hyperbolic": PolicyCost(nanoseconds: 137.7, bytesPerObject: 34),
    "random": PolicyCost(nanoseconds: 17.4, bytesPerObject: 22),
    "redis-lru": PolicyCost(nanoseconds: 60.0, bytesPerObject: 30),
    "redis-lfu": PolicyCost(nanoseconds: 65.0, bytesPerObject: 30),
    "clock": PolicyCost(nanoseconds: 15.2, bytesPerObject: 22),
    "sieve": PolicyCost(nanoseconds: 13.9, bytesPerObject: 27),
    "slru": PolicyCost(nanoseconds: 20.0, bytesPerObject: 23),
    "lru-k": PolicyCost(nanoseconds: 48.4, bytesPerObject: 34),
    "2q": PolicyCost(nanoseconds: 21.2, bytesPerObject: 27),
    "mq": PolicyCost(nanoseconds: 28.0, bytesPerObject: 34),
    "arc": PolicyCost(nanoseconds: 21.2, bytesPerObject: 27),
    "car": PolicyCost(nanoseconds: 21.4, bytesPerObject: 28),
    "lirs": PolicyCost(nanoseconds: 25.6, bytesPerObject: 40),
    "clock-pro": PolicyCost(nanoseconds: 24.1, bytesPerObject: 27),
    "s3-fifo": PolicyCost(nanoseconds: 20.6, bytesPerObject: 32),
    "qd-lp": PolicyCost(nanoseconds: 19.6, bytesPerObject: 32),
    "s4-fifo": PolicyCost(nanoseconds: 20.6, bytesPerObject: 32),
    "clock2q-plus": PolicyCost(nanoseconds: 23.0, bytesPerObject: 40),
    "tinylfu": PolicyCost(nanoseconds: 31.5, bytesPerObject: 28),
    "w-tinylfu": PolicyCost(nanoseconds: 45.1, bytesPerObject: 33),
    "tinyufo": PolicyCost(nanoseconds: 30.0, bytesPerObject: 60),
    "lhd": PolicyCost(nanoseconds: 65.8, bytesPerObject: 401),
    "lecar": PolicyCost(nanoseconds: 53.4, bytesPerObject: 44),
    "cacheus": PolicyCost(nanoseconds: 53.5, bytesPerObject: 46),
    "gdsf": PolicyCost(nanoseconds: 44.5, bytesPerObject: 38),
    "greedydual": PolicyCost(nanoseconds: 38.5, bytesPerObject: 34),
    "ttl": PolicyCost(nanoseconds: 35.5, bytesPerObject: 34),
    "cost": PolicyCost(nanoseconds: 39.5, bytesPerObject: 34),
    "belady": PolicyCost(nanoseconds: 32.8, bytesPerObject: 34),
    "belady-size": PolicyCost(nanoseconds: 102.9, bytesPerObject: 38),
    "pfoo-u": PolicyCost(nanoseconds: 198.2, bytesPerObject: 362),
  ]
}
