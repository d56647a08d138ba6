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
    "fifo": 8.5,
    "lru": 9.2,
    "mru": 10.0,
    "lru-mad": 12.5,
    "la-cache": 99.3,
    "lfu": 13.2,
    "lfuda": 18.5,
    "hyperbolic": 61.4,
    "random": 9.6,
    "redis-lru": 29.7,
    "redis-lfu": 25.9,
    "nginx": 20.3,
    "varnish": 12.2,
    "memcached": 46.0,
    "clock": 10.7,
    "sieve": 9.3,
    "slru": 12.7,
    "lru-k": 31.4,
    "2q": 15.1,
    "mq": 20.6,
    "arc": 16.6,
    "car": 15.5,
    "lirs": 19.6,
    "clock-pro": 14.9,
    "s3-fifo": 13.1,
    "qd-lp": 13.5,
    "s4-fifo": 15.1,
    "clock2q-plus": 15.2,
    "tinylfu": 21.0,
    "w-tinylfu": 27.4,
    "tinyufo": 23.8,
    "lhd": 48.4,
    "lecar": 37.0,
    "cacheus": 35.8,
    "auto": 147.0,
    "gdsf": 23.0,
    "greedydual": 16.7,
    "ttl": 23.6,
    "cost": 22.2,
    "belady": 22.6,
    "belady-size": 81.0,
    "pfoo-u": 136.1,
  ]
}
