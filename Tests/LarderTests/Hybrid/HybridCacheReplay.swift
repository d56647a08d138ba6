import Foundation
import LarderEngine

@testable import Larder

/// Replays a trace on a hybrid cache as a simulation would, and counts in the same terms.
struct HybridCacheReplay {
  let cache: HybridCache<UInt32, Data>
  let clock: ManualClock
  let countsBytes: Bool
  private(set) var counts = Counts()
  private var cost = CostCounts(requested: 0, saved: 0)

  init(
    _ configuration: HybridCacheConfiguration, in folder: ScratchFolder, countsBytes: Bool
  ) throws {
    let clock = ManualClock()
    var configuration = configuration
    configuration.clock = clock
    configuration.memory?.configuration.fingerprints = .objectIDs
    configuration.memory?.configuration.isSimulated = true
    configuration.disk?.fingerprints = .objectIDs
    self.clock = clock
    self.countsBytes = countsBytes
    cache = try HybridCache(path: folder.path, configuration: configuration)
  }

  mutating func run(_ trace: ReplayTrace) throws {
    var versions = Array(repeating: 0, count: trace.objects + 1)
    for line in trace.lines {
      clock.set(seconds: UInt64(line.seconds))
      switch line.operation {
      case .get:
        counts.requests += 1
        counts.bytesRequested += size(line)
        cost.requested += Double(line.cost)
        if let hit = try cache.entry(for: line.id) {
          cost.saved += Double(line.cost)
          count(hit, line, isStale: hit.version != "\(versions[Int(line.id)])")
        } else {
          try store(line, versions[Int(line.id)]) { try cache.fill($0, for: $1, options: $2) }
        }
      case .set:
        counts.sets += 1
        try store(line, versions[Int(line.id)]) { try cache.set($0, for: $1, options: $2) }
      case .delete:
        counts.deletes += 1
        try cache.remove(line.id)
      case .modify:
        versions[Int(line.id)] += 1
      case .bypass:
        counts.requests += 1
        counts.bytesRequested += size(line)
        cost.requested += Double(line.cost)
      case .expire:
        try cache.renew(
          line.id, timeToLive: line.timeToLive == 0 ? nil : .seconds(Int64(line.timeToLive)))
      }
    }
    let tiers = cache.counts
    counts.promotions = tiers.promotions
    counts.demotions = tiers.demotions
    counts.memory = tiers.memory
    counts.disk = tiers.disk
    counts.cost = cost
  }

  private mutating func count(_ hit: CacheHit<Data>, _ line: ReplayTrace.Line, isStale: Bool) {
    switch hit.tier {
    case .memory:
      counts.memoryHits += 1
      counts.memoryBytesHit += size(line)
    case .disk:
      counts.diskHits += 1
      counts.diskBytesHit += size(line)
    }
    if isStale { counts.staleHits += 1 }
  }

  private func store(
    _ line: ReplayTrace.Line, _ version: Int,
    _ body: (Data, UInt32, DiskStoreOptions) throws -> Bool
  ) throws {
    _ = try body(
      Data(repeating: UInt8(truncatingIfNeeded: version), count: Int(line.size)), line.id,
      DiskStoreOptions(
        timeToLive: line.timeToLive == 0 ? nil : .seconds(Int(line.timeToLive)),
        version: "\(version)", fetchCost: line.cost))
  }

  private func size(_ line: ReplayTrace.Line) -> UInt64 { countsBytes ? UInt64(line.size) : 1 }
}
