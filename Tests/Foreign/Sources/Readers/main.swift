import Foundation
import Larder
import LarderEngine
import LarderPolicies

guard let settings = Settings(Array(CommandLine.arguments.dropFirst())) else {
  print(Settings.help)
  exit(2)
}

/// A combination of cache, policy and kind of value.
struct Combination {
  let name: String
  let policy: String
  let run: (_ seconds: Double) throws -> (gets: Int, hits: Int, failure: String?)
}

func combinations<Value: Canary>(_ type: Value.Type, _ kind: String, _ policy: String)
  -> [Combination]
{
  settings.caches.map { cache in
    Combination(name: "\(cache), \(policy), \(kind)", policy: policy) { seconds in
      let (limit, shards) = (settings.limit, settings.shards)
      return cache == "hybrid"
        ? try Round(
          InHybrid<Value>(policy: policy, limit: limit, shards: shards), settings
        ).run(seconds: seconds)
        : try Round(
          InMemory<Value>(
            policy: policy, limit: limit, shards: shards, expires: cache == "expiring"), settings
        ).run(seconds: seconds)
    }
  }
}

let policies =
  settings.policies.isEmpty
  // Real caches reject policies that need the future.
  ? PolicyRegistry.all.map(\.description.name)
    .filter { (try? MemoryCache<Int, Int>(count: 8, policy: CachePolicy($0))) != nil }
    // Changes the policy in charge, and hands the entries over, now and then.
    + ["auto:policies=lru/lfu/s3-fifo:shadow=16:margin=0"]
  : settings.policies
var all: [Combination] = []
for policy in policies {
  for kind in settings.values {
    switch kind {
    case "string": all += combinations(String.self, kind, policy)
    case "struct": all += combinations(Article.self, kind, policy)
    case "class": all += combinations(Picture.self, kind, policy)
    case "block": all += combinations(Block.self, kind, policy)
    default:
      print(Settings.help)
      exit(2)
    }
  }
}

// Hits of these take no lock, so readers and writers run concurrently.
let lockFree: Set = ["fifo", "random", "clock", "sieve", "s3-fifo", "s4-fifo"]
let weights = all.map { lockFree.contains($0.policy) ? 0 : 1 }
let (slow, fast) = (weights.reduce(0, +), weights.count { $0 == 0 })
let start = Date()
var (gets, hits) = (0, 0)
for (number, combination) in all.enumerated() {
  let isFast = weights[number] == 0
  let share = slow == 0 || fast == 0 ? 1.0 : 0.5
  let seconds = settings.seconds * share / Double(isFast ? fast : slow)
  do {
    let result = try combination.run(seconds)
    gets += result.gets
    hits += result.hits
    if let failure = result.failure {
      print("\(combination.name): \(failure)")
      exit(1)
    }
    if result.hits == 0 {
      print("\(combination.name): no get was a hit, so nothing was checked")
      exit(1)
    }
  } catch {
    print("\(combination.name): \(error)")
    exit(1)
  }
}
let took = (Date().timeIntervalSince(start) * 10).rounded() / 10
print(
  "Readers: \(all.count) combinations, \(settings.threads) threads, \(gets) gets, \(hits) hits,"
    + " every value whole and its key's, \(took) s")
