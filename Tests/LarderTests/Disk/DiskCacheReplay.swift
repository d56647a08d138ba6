import Foundation
import LarderEngine

@testable import Larder

/// Replays a trace on a disk cache as a simulation would, and counts in the same terms.
struct DiskCacheReplay {
  let cache: BlockingDiskCache
  let clock = ManualClock()
  let countsBytes: Bool
  private(set) var counts = Counts()
  private var cost = CostCounts(requested: 0, saved: 0)

  init(_ configuration: DiskConfiguration, in folder: ScratchFolder) throws {
    var configuration = configuration
    configuration.fingerprints = .objectIDs
    countsBytes = configuration.limits.bytes != nil
    cache = try BlockingDiskCache(path: folder.path, configuration: configuration, clock: clock)
  }

  /// Replays a trace. A value begins with the version of its object when it was stored, if there is
  /// room.
  mutating func run(_ trace: ReplayTrace) throws {
    var versions = Array(repeating: UInt8(0), count: trace.objects + 1)
    for line in trace.lines {
      clock.set(seconds: UInt64(line.seconds))
      let key = "object \(line.id)"
      switch line.operation {
      case .get:
        counts.requests += 1
        counts.bytesRequested += size(line)
        cost.requested += Double(line.cost)
        if let entry = try cache.entry(for: key) {
          cost.saved += Double(line.cost)
          counts.diskHits += 1
          counts.diskBytesHit += size(line)
          if entry.metadata.version != "\(versions[Int(line.id)])" { counts.staleHits += 1 }
        } else {
          try set(line, key, versions[Int(line.id)])
        }
      case .set:
        counts.sets += 1
        try set(line, key, versions[Int(line.id)])
      case .delete:
        counts.deletes += 1
        try cache.remove(key)
      case .modify:
        versions[Int(line.id)] &+= 1
      case .bypass:
        counts.requests += 1
        counts.bytesRequested += size(line)
        cost.requested += Double(line.cost)
      case .expire:
        let life = line.timeToLive == 0 ? nil : Duration.seconds(line.timeToLive)
        if try cache.contains(key) { try cache.renew(key, timeToLive: life) }
      }
    }
    counts.disk = cache.tierCounts
    counts.cost = cost
  }

  private func set(_ line: ReplayTrace.Line, _ key: String, _ version: UInt8) throws {
    try cache.set(
      Data(repeating: version, count: Int(line.size)), for: key,
      options: DiskStoreOptions(
        timeToLive: line.timeToLive == 0 ? nil : .seconds(Int(line.timeToLive)),
        version: "\(version)", fetchCost: line.cost))
  }

  private func size(_ line: ReplayTrace.Line) -> UInt64 { countsBytes ? UInt64(line.size) : 1 }
}
