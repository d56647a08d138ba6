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
    "fifo": PolicyCost(nanoseconds: 15.6, bytesPerObject: 33),
    "lru": PolicyCost(nanoseconds: 12.0, bytesPerObject: 22),
    "mru": PolicyCost(nanoseconds: 19.4, bytesPerObject: 22),
    "lru-mad": PolicyCost(nanoseconds: 18.8, bytesPerObject: 106),
    "la-cache": PolicyCost(nanoseconds: 189.5, bytesPerObject: 114),
    "lfu": PolicyCost(nanoseconds: 18.6, bytesPerObject: 26),
    "lfuda": PolicyCost(nanoseconds: 28.2, bytesPerObject: 62),
    "hyperbolic": PolicyCost(nanoseconds: 117.0, bytesPerObject: 26),
    "random": PolicyCost(nanoseconds: 15.6, bytesPerObject: 19),
    "redis-lru": PolicyCost(nanoseconds: 55.9, bytesPerObject: 20),
    "redis-lfu": PolicyCost(nanoseconds: 43.8, bytesPerObject: 20),
    "nginx": PolicyCost(nanoseconds: 35.6, bytesPerObject: 26),
    "varnish": PolicyCost(nanoseconds: 19.7, bytesPerObject: 30),
    "memcached": PolicyCost(nanoseconds: 86.9, bytesPerObject: 32),
    "clock": PolicyCost(nanoseconds: 16.1, bytesPerObject: 20),
    "sieve": PolicyCost(nanoseconds: 14.4, bytesPerObject: 20),
    "slru": PolicyCost(nanoseconds: 25.7, bytesPerObject: 23),
    "lru-k": PolicyCost(nanoseconds: 53.6, bytesPerObject: 26),
    "2q": PolicyCost(nanoseconds: 22.4, bytesPerObject: 27),
    "mq": PolicyCost(nanoseconds: 31.6, bytesPerObject: 34),
    "arc": PolicyCost(nanoseconds: 25.8, bytesPerObject: 27),
    "car": PolicyCost(nanoseconds: 24.5, bytesPerObject: 28),
    "lirs": PolicyCost(nanoseconds: 30.3, bytesPerObject: 40),
    "clock-pro": PolicyCost(nanoseconds: 24.5, bytesPerObject: 27),
    "s3-fifo": PolicyCost(nanoseconds: 20.5, bytesPerObject: 27),
    "qd-lp": PolicyCost(nanoseconds: 24.9, bytesPerObject: 26),
    "s4-fifo": PolicyCost(nanoseconds: 31.3, bytesPerObject: 26),
    "clock2q-plus": PolicyCost(nanoseconds: 32.4, bytesPerObject: 34),
    "tinylfu": PolicyCost(nanoseconds: 34.7, bytesPerObject: 28),
    "w-tinylfu": PolicyCost(nanoseconds: 48.4, bytesPerObject: 33),
    "tinyufo": PolicyCost(nanoseconds: 35.9, bytesPerObject: 81),
    "lhd": PolicyCost(nanoseconds: 80.7, bytesPerObject: 401),
    "lecar": PolicyCost(nanoseconds: 64.6, bytesPerObject: 36),
    "cacheus": PolicyCost(nanoseconds: 57.7, bytesPerObject: 38),
    "auto": PolicyCost(nanoseconds: 252.1, bytesPerObject: 168),
    "gdsf": PolicyCost(nanoseconds: 34.8, bytesPerObject: 62),
    "greedydual": PolicyCost(nanoseconds: 28.0, bytesPerObject: 58),
    "ttl": PolicyCost(nanoseconds: 38.8, bytesPerObject: 26),
    "cost": PolicyCost(nanoseconds: 36.1, bytesPerObject: 58),
    "belady": PolicyCost(nanoseconds: 39.8, bytesPerObject: 26),
    "belady-size": PolicyCost(nanoseconds: 140.1, bytesPerObject: 30),
    "pfoo-u": PolicyCost(nanoseconds: 220.1, bytesPerObject: 362),
  ]
}
