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
    "fifo": 8.7,
    "lru": 8.9,
    "mru": 9.8,
    "lru-mad": 12.0,
    "la-cache": 94.8,
    "lfu": 12.7,
    "lfuda": 17.5,
    "hyperbolic": 58.5,
    "random": 9.4,
    "redis-lru": 39.0,
    "redis-lfu": 33.8,
    "nginx": 23.1,
    "varnish": 14.4,
    "memcached": 46.9,
    "clock": 10.2,
    "sieve": 9.6,
    "slru": 12.4,
    "lru-k": 29.5,
    "2q": 13.0,
    "mq": 19.4,
    "arc": 15.5,
    "car": 14.6,
    "lirs": 19.0,
    "clock-pro": 14.9,
    "s3-fifo": 12.6,
    "qd-lp": 12.9,
    "s4-fifo": 15.2,
    "clock2q-plus": 15.5,
    "tinylfu": 18.5,
    "w-tinylfu": 24.8,
    "tinyufo": 25.3,
    "lhd": 46.3,
    "lecar": 35.1,
    "cacheus": 34.8,
    "auto": 140.9,
    "gdsf": 21.9,
    "greedydual": 16.0,
    "ttl": 22.6,
    "cost": 20.8,
    "belady": 21.7,
    "belady-size": 76.1,
    "pfoo-u": 127.6,
  ]
}
