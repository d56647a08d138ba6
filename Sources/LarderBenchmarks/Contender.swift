import Larder

/// A cache to be measured, made anew for every run.
struct Contender {
  var name: String
  var make: (_ capacity: Int) throws -> any BenchmarkCache

  /// The baselines and Larder.
  static func all(policies: [String], shards: Int) -> [Contender] {
    var all = [
      Contender(name: "NSCache") { FoundationCache(capacity: $0) },
      Contender(name: "textbook LRU, NSLock") { TextbookLRU(capacity: $0) },
    ]
    for policy in policies {
      all.append(
        Contender(name: "larder \(policy), 1 shard, fast hash") {
          try LarderCache(capacity: $0, policy: policy, shards: 1, hashing: .fast)
        })
      all.append(
        Contender(name: "larder \(policy), \(shards) shards, fast hash") {
          try LarderCache(capacity: $0, policy: policy, shards: shards, hashing: .fast)
        })
    }
    all.append(
      Contender(name: "larder lru, \(shards) shards, Hasher") {
        try LarderCache(capacity: $0, policy: "lru", shards: shards, hashing: .standard)
      })
    return all
  }
}
