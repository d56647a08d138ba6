/// Cost of a simulated request by policy, for plans and for the budgets of searches.
///
/// Measured: means over all cells of the kept runs in `Results/examples/policies`, one thread,
/// Intel Xeon; `PolicyCostTests` compares the table with them. Traces with sizes, sets and TTLs are
/// among them, so replaying gets of unit size is up to twice as fast. Estimates determine the
/// division of cells into parts and the requests to a scheduler, but no counts.
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
    "fifo": PolicyCost(nanoseconds: 11.3, bytesPerObject: 33),
    "lru": PolicyCost(nanoseconds: 13.5, bytesPerObject: 22),
    "mru": PolicyCost(nanoseconds: 17.3, bytesPerObject: 22),
    "lru-mad": PolicyCost(nanoseconds: 20.1, bytesPerObject: 106),
    "la-cache": PolicyCost(nanoseconds: 211.6, bytesPerObject: 114),
    "lfu": PolicyCost(nanoseconds: 22.9, bytesPerObject: 26),
    "lfuda": PolicyCost(nanoseconds: 34.8, bytesPerObject: 62),
    "hyperbolic": PolicyCost(nanoseconds: 144.6, bytesPerObject: 26),
    "random": PolicyCost(nanoseconds: 18.1, bytesPerObject: 19),
    "redis-lru": PolicyCost(nanoseconds: 56.4, bytesPerObject: 20),
    "redis-lfu": PolicyCost(nanoseconds: 62.4, bytesPerObject: 20),
    "nginx": PolicyCost(nanoseconds: 39.0, bytesPerObject: 26),
    "varnish": PolicyCost(nanoseconds: 20.8, bytesPerObject: 30),
    "memcached": PolicyCost(nanoseconds: 91.5, bytesPerObject: 32),
    "clock": PolicyCost(nanoseconds: 16.6, bytesPerObject: 20),
    "sieve": PolicyCost(nanoseconds: 14.6, bytesPerObject: 20),
    "slru": PolicyCost(nanoseconds: 19.8, bytesPerObject: 23),
    "lru-k": PolicyCost(nanoseconds: 54.9, bytesPerObject: 26),
    "2q": PolicyCost(nanoseconds: 24.0, bytesPerObject: 27),
    "mq": PolicyCost(nanoseconds: 31.8, bytesPerObject: 34),
    "arc": PolicyCost(nanoseconds: 31.0, bytesPerObject: 27),
    "car": PolicyCost(nanoseconds: 26.5, bytesPerObject: 28),
    "lirs": PolicyCost(nanoseconds: 43.1, bytesPerObject: 40),
    "clock-pro": PolicyCost(nanoseconds: 29.9, bytesPerObject: 27),
    "s3-fifo": PolicyCost(nanoseconds: 20.9, bytesPerObject: 27),
    "qd-lp": PolicyCost(nanoseconds: 21.3, bytesPerObject: 26),
    "s4-fifo": PolicyCost(nanoseconds: 26.8, bytesPerObject: 26),
    "clock2q-plus": PolicyCost(nanoseconds: 27.5, bytesPerObject: 34),
    "tinylfu": PolicyCost(nanoseconds: 34.6, bytesPerObject: 28),
    "w-tinylfu": PolicyCost(nanoseconds: 47.5, bytesPerObject: 33),
    "tinyufo": PolicyCost(nanoseconds: 38.6, bytesPerObject: 81),
    "lhd": PolicyCost(nanoseconds: 83.0, bytesPerObject: 401),
    "lecar": PolicyCost(nanoseconds: 53.9, bytesPerObject: 36),
    "cacheus": PolicyCost(nanoseconds: 56.9, bytesPerObject: 38),
    "auto": PolicyCost(nanoseconds: 281.6, bytesPerObject: 176),
    "gdsf": PolicyCost(nanoseconds: 42.4, bytesPerObject: 62),
    "greedydual": PolicyCost(nanoseconds: 30.0, bytesPerObject: 58),
    "ttl": PolicyCost(nanoseconds: 42.7, bytesPerObject: 26),
    "cost": PolicyCost(nanoseconds: 38.6, bytesPerObject: 58),
    "belady": PolicyCost(nanoseconds: 38.6, bytesPerObject: 26),
    "belady-size": PolicyCost(nanoseconds: 135.0, bytesPerObject: 30),
    "pfoo-u": PolicyCost(nanoseconds: 172.4, bytesPerObject: 362),
  ]
}
