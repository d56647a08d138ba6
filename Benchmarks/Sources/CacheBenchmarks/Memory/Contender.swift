import Foundation
import Larder

/// A cache to be measured, made anew for every run.
struct Contender {
  var name: String
  var make: (_ capacity: Int) throws -> any BenchmarkCache<Int, Int>

  static let foundationName = "NSCache"
  static let textbookName = "textbook LRU"

  /// The baselines and Larder.
  static func all(policies: [String], shards: Int) -> [Contender] {
    var all = [
      Contender(name: foundationName) { FoundationCache(capacity: $0) { $0 as NSNumber } },
      Contender(name: textbookName) { TextbookLRU<Int, Int>(capacity: $0) },
    ]
    for policy in policies {
      all.append(
        Contender(name: "larder \(policy) 1 shard") {
          try LarderCache<Int, Int>(capacity: $0, policy: policy, shards: 1, hashing: .fast)
        })
      all.append(
        Contender(name: "larder \(policy) \(shards) shards") {
          try LarderCache<Int, Int>(capacity: $0, policy: policy, shards: shards, hashing: .fast)
        })
      all.append(
        Contender(name: "larder \(policy) \(shards) shards, objects") {
          try LarderBoxCache(capacity: $0, policy: policy, shards: shards)
        })
    }
    all.append(
      Contender(name: "larder lru \(shards) shards, Hasher") {
        try LarderCache<Int, Int>(capacity: $0, policy: "lru", shards: shards, hashing: .standard)
      })
    return all
  }
}
