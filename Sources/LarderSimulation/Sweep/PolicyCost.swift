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
    "fifo": PolicyCost(nanoseconds: 6.5, bytesPerObject: 22),
    "lru": PolicyCost(nanoseconds: 7.1, bytesPerObject: 22),
    "mru": PolicyCost(nanoseconds: 7.2, bytesPerObject: 22),
    "lru-mad": PolicyCost(nanoseconds: 89.6, bytesPerObject: 106),
    "lfu": PolicyCost(nanoseconds: 10.2, bytesPerObject: 26),
    "lfuda": PolicyCost(nanoseconds: 21.6, bytesPerObject: 38),
    "hyperbolic": PolicyCost(nanoseconds: 55.0, bytesPerObject: 34),
    "random": PolicyCost(nanoseconds: 9.1, bytesPerObject: 22),
    "redis-lru": PolicyCost(nanoseconds: 26.0, bytesPerObject: 26),
    "redis-lfu": PolicyCost(nanoseconds: 22.6, bytesPerObject: 26),
    "nginx": PolicyCost(nanoseconds: 14.7, bytesPerObject: 26),
    "varnish": PolicyCost(nanoseconds: 9.9, bytesPerObject: 30),
    "memcached": PolicyCost(nanoseconds: 40.4, bytesPerObject: 32),
    "clock": PolicyCost(nanoseconds: 8.2, bytesPerObject: 22),
    "sieve": PolicyCost(nanoseconds: 7.3, bytesPerObject: 27),
    "slru": PolicyCost(nanoseconds: 11.2, bytesPerObject: 23),
    "lru-k": PolicyCost(nanoseconds: 27.2, bytesPerObject: 34),
    "2q": PolicyCost(nanoseconds: 11.4, bytesPerObject: 27),
    "mq": PolicyCost(nanoseconds: 16.7, bytesPerObject: 34),
    "arc": PolicyCost(nanoseconds: 12.6, bytesPerObject: 27),
    "car": PolicyCost(nanoseconds: 13.2, bytesPerObject: 28),
    "lirs": PolicyCost(nanoseconds: 14.9, bytesPerObject: 40),
    "clock-pro": PolicyCost(nanoseconds: 13.1, bytesPerObject: 27),
    "s3-fifo": PolicyCost(nanoseconds: 10.3, bytesPerObject: 32),
    "qd-lp": PolicyCost(nanoseconds: 10.5, bytesPerObject: 32),
    "s4-fifo": PolicyCost(nanoseconds: 12.3, bytesPerObject: 32),
    "clock2q-plus": PolicyCost(nanoseconds: 12.5, bytesPerObject: 40),
    "tinylfu": PolicyCost(nanoseconds: 19.1, bytesPerObject: 28),
    "w-tinylfu": PolicyCost(nanoseconds: 24.0, bytesPerObject: 33),
    "tinyufo": PolicyCost(nanoseconds: 19.8, bytesPerObject: 81),
    "lhd": PolicyCost(nanoseconds: 41.3, bytesPerObject: 401),
    "lecar": PolicyCost(nanoseconds: 31.0, bytesPerObject: 44),
    "cacheus": PolicyCost(nanoseconds: 30.8, bytesPerObject: 46),
    "gdsf": PolicyCost(nanoseconds: 22.3, bytesPerObject: 38),
    "greedydual": PolicyCost(nanoseconds: 20.8, bytesPerObject: 34),
    "ttl": PolicyCost(nanoseconds: 20.3, bytesPerObject: 34),
    "cost": PolicyCost(nanoseconds: 21.7, bytesPerObject: 34),
    "belady": PolicyCost(nanoseconds: 19.9, bytesPerObject: 34),
    "belady-size": PolicyCost(nanoseconds: 67.9, bytesPerObject: 38),
    "pfoo-u": PolicyCost(nanoseconds: 120.4, bytesPerObject: 362),
  ]
}
