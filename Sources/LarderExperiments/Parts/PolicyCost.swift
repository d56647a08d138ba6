/// Nanoseconds of a simulated request by policy, for the budgets of searches: they determine which
/// designs are simulated in full, but no counts.
///
/// Measured: means over all cells of the kept runs in `Results/examples/policies`, each cell with
/// the median of its repetitions, of which the first is left out if there are several. The part
/// `policies` of `make figures` writes the table, and `PolicyCostTests` compares it with the runs.
package enum PolicyCost {
  package static func of(_ policy: String) -> Double { table[policy] ?? learned[policy] ?? 100 }

  private static let learned = ["lrb": 5_000.0, "3l-cache": 800]

  static let table: [String: Double] = [
    "fifo": 8.9,
    "lru": 9.2,
    "mru": 9.8,
    "lru-mad": 12.4,
    "la-cache": 98.4,
    "lfu": 13.0,
    "lfuda": 17.6,
    "hyperbolic": 59.8,
    "random": 9.6,
    "redis-lru": 39.0,
    "redis-lfu": 34.0,
    "nginx": 23.5,
    "varnish": 14.6,
    "memcached": 47.9,
    "clock": 10.5,
    "sieve": 9.8,
    "slru": 12.3,
    "lru-k": 29.9,
    "2q": 13.3,
    "mq": 19.7,
    "arc": 15.8,
    "car": 14.9,
    "lirs": 19.2,
    "clock-pro": 15.6,
    "s3-fifo": 12.9,
    "qd-lp": 13.1,
    "s4-fifo": 15.8,
    "clock2q-plus": 16.3,
    "tinylfu": 18.7,
    "w-tinylfu": 25.3,
    "tinyufo": 25.8,
    "lhd": 45.7,
    "lecar": 35.4,
    "cacheus": 35.2,
    "auto": 145.3,
    "gdsf": 22.3,
    "greedydual": 16.4,
    "ttl": 22.9,
    "cost": 21.0,
    "belady": 22.6,
    "belady-size": 78.8,
    "pfoo-u": 131.1,
  ]
}
