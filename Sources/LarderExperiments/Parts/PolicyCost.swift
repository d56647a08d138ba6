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
    "fifo": PolicyCost(nanoseconds: 10.2, bytesPerObject: 22),
    "lru": PolicyCost(nanoseconds: 12.3, bytesPerObject: 22),
    "mru": PolicyCost(nanoseconds: 11.9, bytesPerObject: 22),
    "lru-mad": PolicyCost(nanoseconds: 127.4, bytesPerObject: 106),
    "la-cache": PolicyCost(nanoseconds: 140.5, bytesPerObject: 122),
    "lfu": PolicyCost(nanoseconds: 13.8, bytesPerObject: 26),
    "lfuda": PolicyCost(nanoseconds: 32.6, bytesPerObject: 38),
    "hyperbolic": PolicyCost(nanoseconds: 105.6, bytesPerObject: 34),
    "random": PolicyCost(nanoseconds: 12.9, bytesPerObject: 22),
    "redis-lru": PolicyCost(nanoseconds: 38.0, bytesPerObject: 26),
    "redis-lfu": PolicyCost(nanoseconds: 32.6, bytesPerObject: 26),
    "nginx": PolicyCost(nanoseconds: 23.9, bytesPerObject: 26),
    "varnish": PolicyCost(nanoseconds: 14.0, bytesPerObject: 30),
    "memcached": PolicyCost(nanoseconds: 71.6, bytesPerObject: 32),
    "clock": PolicyCost(nanoseconds: 11.8, bytesPerObject: 22),
    "sieve": PolicyCost(nanoseconds: 10.1, bytesPerObject: 27),
    "slru": PolicyCost(nanoseconds: 14.8, bytesPerObject: 23),
    "lru-k": PolicyCost(nanoseconds: 38.8, bytesPerObject: 34),
    "2q": PolicyCost(nanoseconds: 16.5, bytesPerObject: 27),
    "mq": PolicyCost(nanoseconds: 23.7, bytesPerObject: 34),
    "arc": PolicyCost(nanoseconds: 19.1, bytesPerObject: 27),
    "car": PolicyCost(nanoseconds: 19.1, bytesPerObject: 28),
    "lirs": PolicyCost(nanoseconds: 23.4, bytesPerObject: 40),
    "clock-pro": PolicyCost(nanoseconds: 20.9, bytesPerObject: 27),
    "s3-fifo": PolicyCost(nanoseconds: 15.2, bytesPerObject: 32),
    "qd-lp": PolicyCost(nanoseconds: 14.8, bytesPerObject: 32),
    "s4-fifo": PolicyCost(nanoseconds: 19.2, bytesPerObject: 32),
    "clock2q-plus": PolicyCost(nanoseconds: 21.0, bytesPerObject: 40),
    "tinylfu": PolicyCost(nanoseconds: 29.4, bytesPerObject: 28),
    "w-tinylfu": PolicyCost(nanoseconds: 37.5, bytesPerObject: 33),
    "tinyufo": PolicyCost(nanoseconds: 28.7, bytesPerObject: 81),
    "lhd": PolicyCost(nanoseconds: 58.3, bytesPerObject: 401),
    "lecar": PolicyCost(nanoseconds: 46.5, bytesPerObject: 44),
    "cacheus": PolicyCost(nanoseconds: 50.1, bytesPerObject: 46),
    "gdsf": PolicyCost(nanoseconds: 33.6, bytesPerObject: 38),
    "greedydual": PolicyCost(nanoseconds: 32.5, bytesPerObject: 34),
    "ttl": PolicyCost(nanoseconds: 31.0, bytesPerObject: 34),
    "cost": PolicyCost(nanoseconds: 32.9, bytesPerObject: 34),
    "belady": PolicyCost(nanoseconds: 27.0, bytesPerObject: 34),
    "belady-size": PolicyCost(nanoseconds: 95.1, bytesPerObject: 38),
    "pfoo-u": PolicyCost(nanoseconds: 164.0, bytesPerObject: 362),
  ]
}
