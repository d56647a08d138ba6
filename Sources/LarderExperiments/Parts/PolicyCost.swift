/// Cost of a simulated request by policy, for plans and for the budgets of searches.
///
/// Measured: means over all cells of the kept runs in `Results/examples/policies`, one thread, AMD
/// EPYC; `PolicyCostTests` compares the table with them. Traces with sizes, sets and TTLs are among
/// them, so replaying gets of unit size is up to twice as fast. Estimates determine the division of
/// cells into parts and the requests to a scheduler, but no counts.
package struct PolicyCost: Hashable, Sendable {
  package let nanoseconds: Double
  /// Maximum bytes of memory per distinct object of the trace.
  package let bytesPerObject: Double

  /// Cost of a policy, by name. Unknown policies have the cost of a slow one.
  package static func of(_ policy: String) -> PolicyCost {
    (table[policy] ?? learned[policy]) ?? unknown
  }

  private static let unknown = PolicyCost(nanoseconds: 100, bytesPerObject: 100)

  /// Measured with LightGBM 4.7.0: see `docs/learned-policies.md`. Predictions and training
  /// dominate; their number follows the misses.
  private static let learned: [String: PolicyCost] = [
    "lrb": PolicyCost(nanoseconds: 5_000, bytesPerObject: 400),
    "3l-cache": PolicyCost(nanoseconds: 800, bytesPerObject: 120),
  ]

  static let table: [String: PolicyCost] = [
    "fifo": PolicyCost(nanoseconds: 9.1, bytesPerObject: 33),
    "lru": PolicyCost(nanoseconds: 11.6, bytesPerObject: 22),
    "mru": PolicyCost(nanoseconds: 14.7, bytesPerObject: 22),
    "lru-mad": PolicyCost(nanoseconds: 17.1, bytesPerObject: 106),
    "la-cache": PolicyCost(nanoseconds: 153.6, bytesPerObject: 114),
    "lfu": PolicyCost(nanoseconds: 17.5, bytesPerObject: 26),
    "lfuda": PolicyCost(nanoseconds: 25.2, bytesPerObject: 62),
    "hyperbolic": PolicyCost(nanoseconds: 93.4, bytesPerObject: 26),
    "random": PolicyCost(nanoseconds: 12.1, bytesPerObject: 19),
    "redis-lru": PolicyCost(nanoseconds: 38.6, bytesPerObject: 20),
    "redis-lfu": PolicyCost(nanoseconds: 33.6, bytesPerObject: 20),
    "nginx": PolicyCost(nanoseconds: 29.3, bytesPerObject: 26),
    "varnish": PolicyCost(nanoseconds: 14.7, bytesPerObject: 30),
    "memcached": PolicyCost(nanoseconds: 69.9, bytesPerObject: 32),
    "clock": PolicyCost(nanoseconds: 12.7, bytesPerObject: 20),
    "sieve": PolicyCost(nanoseconds: 11.3, bytesPerObject: 20),
    "slru": PolicyCost(nanoseconds: 16.7, bytesPerObject: 23),
    "lru-k": PolicyCost(nanoseconds: 41.1, bytesPerObject: 26),
    "2q": PolicyCost(nanoseconds: 17.4, bytesPerObject: 27),
    "mq": PolicyCost(nanoseconds: 26.0, bytesPerObject: 34),
    "arc": PolicyCost(nanoseconds: 22.9, bytesPerObject: 27),
    "car": PolicyCost(nanoseconds: 20.5, bytesPerObject: 28),
    "lirs": PolicyCost(nanoseconds: 26.5, bytesPerObject: 40),
    "clock-pro": PolicyCost(nanoseconds: 20.2, bytesPerObject: 27),
    "s3-fifo": PolicyCost(nanoseconds: 16.0, bytesPerObject: 27),
    "qd-lp": PolicyCost(nanoseconds: 16.7, bytesPerObject: 26),
    "s4-fifo": PolicyCost(nanoseconds: 20.9, bytesPerObject: 26),
    "clock2q-plus": PolicyCost(nanoseconds: 21.9, bytesPerObject: 34),
    "tinylfu": PolicyCost(nanoseconds: 28.2, bytesPerObject: 28),
    "w-tinylfu": PolicyCost(nanoseconds: 36.7, bytesPerObject: 33),
    "tinyufo": PolicyCost(nanoseconds: 32.0, bytesPerObject: 81),
    "lhd": PolicyCost(nanoseconds: 57.9, bytesPerObject: 401),
    "lecar": PolicyCost(nanoseconds: 48.0, bytesPerObject: 36),
    "cacheus": PolicyCost(nanoseconds: 47.3, bytesPerObject: 38),
    "auto": PolicyCost(nanoseconds: 198.7, bytesPerObject: 176),
    "gdsf": PolicyCost(nanoseconds: 28.5, bytesPerObject: 62),
    "greedydual": PolicyCost(nanoseconds: 21.9, bytesPerObject: 58),
    "ttl": PolicyCost(nanoseconds: 30.8, bytesPerObject: 26),
    "cost": PolicyCost(nanoseconds: 29.2, bytesPerObject: 58),
    "belady": PolicyCost(nanoseconds: 29.6, bytesPerObject: 26),
    "belady-size": PolicyCost(nanoseconds: 96.8, bytesPerObject: 30),
    "pfoo-u": PolicyCost(nanoseconds: 165.7, bytesPerObject: 362),
  ]
}
