/// Cost of a simulated request by policy, for plans and for the budgets of searches.
///
/// Measured: means over all cells of the kept runs in `Results/examples/policies`, each cell with
/// the median of its repetitions, of which the first is left out if there are several. `make
/// policies-page` writes the table, and `PolicyCostTests` compares it with the runs. Traces with
/// sizes, sets and TTLs are among them, so replaying gets of unit size is up to twice as fast.
/// Estimates determine the division of cells into parts and the requests to a scheduler, but no
/// counts.
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
    "fifo": PolicyCost(nanoseconds: 8.5, bytesPerObject: 20),
    "lru": PolicyCost(nanoseconds: 9.2, bytesPerObject: 22),
    "mru": PolicyCost(nanoseconds: 10.0, bytesPerObject: 22),
    "lru-mad": PolicyCost(nanoseconds: 12.5, bytesPerObject: 106),
    "la-cache": PolicyCost(nanoseconds: 99.3, bytesPerObject: 114),
    "lfu": PolicyCost(nanoseconds: 13.2, bytesPerObject: 26),
    "lfuda": PolicyCost(nanoseconds: 18.5, bytesPerObject: 62),
    "hyperbolic": PolicyCost(nanoseconds: 61.4, bytesPerObject: 26),
    "random": PolicyCost(nanoseconds: 9.6, bytesPerObject: 19),
    "redis-lru": PolicyCost(nanoseconds: 29.7, bytesPerObject: 20),
    "redis-lfu": PolicyCost(nanoseconds: 25.9, bytesPerObject: 20),
    "nginx": PolicyCost(nanoseconds: 20.3, bytesPerObject: 26),
    "varnish": PolicyCost(nanoseconds: 12.2, bytesPerObject: 30),
    "memcached": PolicyCost(nanoseconds: 46.0, bytesPerObject: 32),
    "clock": PolicyCost(nanoseconds: 10.7, bytesPerObject: 20),
    "sieve": PolicyCost(nanoseconds: 9.3, bytesPerObject: 20),
    "slru": PolicyCost(nanoseconds: 12.7, bytesPerObject: 23),
    "lru-k": PolicyCost(nanoseconds: 31.4, bytesPerObject: 26),
    "2q": PolicyCost(nanoseconds: 15.1, bytesPerObject: 27),
    "mq": PolicyCost(nanoseconds: 20.6, bytesPerObject: 34),
    "arc": PolicyCost(nanoseconds: 16.6, bytesPerObject: 27),
    "car": PolicyCost(nanoseconds: 15.5, bytesPerObject: 28),
    "lirs": PolicyCost(nanoseconds: 19.6, bytesPerObject: 40),
    "clock-pro": PolicyCost(nanoseconds: 14.9, bytesPerObject: 27),
    "s3-fifo": PolicyCost(nanoseconds: 13.1, bytesPerObject: 27),
    "qd-lp": PolicyCost(nanoseconds: 13.5, bytesPerObject: 26),
    "s4-fifo": PolicyCost(nanoseconds: 15.1, bytesPerObject: 26),
    "clock2q-plus": PolicyCost(nanoseconds: 15.2, bytesPerObject: 34),
    "tinylfu": PolicyCost(nanoseconds: 21.0, bytesPerObject: 28),
    "w-tinylfu": PolicyCost(nanoseconds: 27.4, bytesPerObject: 33),
    "tinyufo": PolicyCost(nanoseconds: 23.8, bytesPerObject: 81),
    "lhd": PolicyCost(nanoseconds: 48.4, bytesPerObject: 401),
    "lecar": PolicyCost(nanoseconds: 37.0, bytesPerObject: 36),
    "cacheus": PolicyCost(nanoseconds: 35.8, bytesPerObject: 38),
    "auto": PolicyCost(nanoseconds: 147.0, bytesPerObject: 168),
    "gdsf": PolicyCost(nanoseconds: 23.0, bytesPerObject: 62),
    "greedydual": PolicyCost(nanoseconds: 16.7, bytesPerObject: 58),
    "ttl": PolicyCost(nanoseconds: 23.6, bytesPerObject: 26),
    "cost": PolicyCost(nanoseconds: 22.2, bytesPerObject: 58),
    "belady": PolicyCost(nanoseconds: 22.6, bytesPerObject: 26),
    "belady-size": PolicyCost(nanoseconds: 81.0, bytesPerObject: 30),
    "pfoo-u": PolicyCost(nanoseconds: 136.1, bytesPerObject: 362),
  ]
}
