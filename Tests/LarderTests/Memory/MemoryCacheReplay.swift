import LarderEngine

@testable import Larder

/// Replays a trace on a memory cache as a simulation would, and counts in the same terms.
struct MemoryCacheReplay {
  let cache: MemoryCache<String, UInt32>
  let clock: ManualClock
  let countsBytes: Bool
  private(set) var counts = Counts()
  private var cost = CostCounts(requested: 0, saved: 0)

  init(_ configuration: MemoryCacheConfiguration) throws {
    let clock = ManualClock()
    var configuration = configuration
    configuration.clock = clock
    configuration.fingerprints = .objectIDs
    configuration.isSimulated = true
    self.clock = clock
    countsBytes = configuration.limits.weight != nil
    cache = try MemoryCache(configuration, weigh: { Int($0) })
  }

  mutating func run(_ trace: ReplayTrace) {
    var versions = Array(repeating: UInt32(0), count: trace.objects + 1)
    for line in trace.lines {
      clock.set(seconds: UInt64(line.seconds))
      let key = "object \(line.id)"
      switch line.operation {
      case .get:
        counts.requests += 1
        counts.bytesRequested += size(line)
        cost.requested += Double(line.cost)
        if let version = cache.value(for: key) {
          cost.saved += Double(line.cost)
          counts.memoryHits += 1
          counts.memoryBytesHit += size(line)
          if version != versions[Int(line.id)] { counts.staleHits += 1 }
        } else {
          set(line, key, versions[Int(line.id)])
        }
      case .set:
        counts.sets += 1
        set(line, key, versions[Int(line.id)])
      case .delete:
        counts.deletes += 1
        cache.remove(key)
      case .modify:
        versions[Int(line.id)] += 1
      case .bypass:
        counts.requests += 1
        counts.bytesRequested += size(line)
        cost.requested += Double(line.cost)
      case .expire:
        cache.renew(key, timeToLive: line.timeToLive == 0 ? nil : .seconds(Int64(line.timeToLive)))
      }
    }
    counts.memory = cache.tierCounts
    counts.cost = cost
  }

  private func set(_ line: ReplayTrace.Line, _ key: String, _ version: UInt32) {
    cache.set(
      version, for: key, weight: Int(line.size),
      timeToLive: line.timeToLive == 0 ? nil : .seconds(Int(line.timeToLive)),
      fetchCost: line.cost)
  }

  private func size(_ line: ReplayTrace.Line) -> UInt64 { countsBytes ? UInt64(line.size) : 1 }
}

extension MemoryCacheConfiguration {
  func seeded(_ seed: UInt64) -> MemoryCacheConfiguration {
    var copy = self
    copy.seed = seed
    return copy
  }
}
