import Foundation
import Larder
import LarderEngine

extension FuzzTarget {
  /// A memory cache of any configuration, and calls with any numbers: it is rejected with a typed
  /// error, or never has a wrong value and keeps its limits.
  static let memoryConfiguration = FuzzTarget("configuration/memory", lengthMax: 256) { input in
    var choices = FuzzInput(input)
    let clock = choices.clock()
    let configuration = choices.memoryConfiguration(clock: clock)
    let cache = try accepted(or: MemoryCacheError.self) {
      try MemoryCache<Int, Int>(configuration, weigh: { $0 })
    }
    guard let cache else { return }
    var latest: [Int: Int] = [:]
    for number in 0..<64 where !choices.isEmpty {
      let key = choices.below(24)
      switch choices.byte() % 9 {
      case 0...2:
        let value = cache.value(for: key)
        try require(value == nil || value == latest[key], "a wrong value of \(key)")
      case 3, 4:
        let isStored = cache.set(
          number, for: key, weight: choices.integer(below: 100),
          timeToLive: choices.maybe { $0.duration() }, fetchCost: Float(choices.share()),
          isPermanent: choices.flag())
        latest[key] = isStored ? number : nil
      case 5:
        cache.remove(key)
        latest[key] = nil
      case 6:
        switch choices.byte() % 5 {
        case 0: cache.trim(weight: choices.integer(below: 100))
        case 1: cache.trim(toCount: choices.integer(below: 100))
        case 2: cache.trim(toAge: choices.duration())
        case 3: cache.removeExpired()
        default: cache.handle(choices.flag() ? .warning : .critical)
        }
      case 7: clock.advance(by: choices.unsigned(below: 1000))
      default: cache.removeAll(includingPermanent: choices.flag())
      }
      let limits = configuration.limits
      try require(cache.count <= limits.count ?? .max, "\(cache.count) entries: \(limits)")
      let cost = cache.statistics.weight
      try require(cost <= limits.weight.map { UInt64($0) } ?? .max, "cost \(cost): \(limits)")
    }
  }

  static let diskConfiguration = FuzzTarget("configuration/disk", lengthMax: 256) { input in
    var choices = FuzzInput(input)
    let clock = choices.clock()
    FuzzScratch.remove("disk")
    defer { FuzzScratch.remove("disk") }
    let path = FuzzScratch.path("disk")
    let made = try accepted(or: DiskCacheError.self) {
      let configuration = try choices.diskConfiguration()
      return (
        configuration, try BlockingDiskCache(path: path, configuration: configuration, clock: clock)
      )
    }
    guard var (configuration, cache) = made else { return }
    var latest: [String: Data] = [:]
    for _ in 0..<32 where !choices.isEmpty {
      try DiskCalls.call(cache, &choices, &latest, clock)
      try require(cache.valueBytes <= 12 << 10, "\(cache.valueBytes) bytes of 12 values")
      if latest.isEmpty { _ = try accepted(or: DiskCacheError.self) { try cache.suites() } }
      if choices.below(16) == 0 {
        _ = try accepted(or: DiskCacheError.self) { try cache.close() }
        let again = try accepted(or: DiskCacheError.self) {
          try BlockingDiskCache(path: path, configuration: configuration, clock: clock)
        }
        guard let again else {
          throw FuzzFinding("cannot be opened again: \(configuration.limits)")
        }
        cache = again
      }
    }
    _ = try accepted(or: DiskCacheError.self) { try cache.close() }
  }

  static let hybridConfiguration = FuzzTarget("configuration/hybrid", lengthMax: 384) { input in
    var choices = FuzzInput(input)
    let clock = choices.clock()
    FuzzScratch.remove("hybrid")
    defer { FuzzScratch.remove("hybrid") }
    let cache = try accepted(or: HybridCacheError.self, DiskCacheError.self) {
      let configuration = try choices.hybridConfiguration(clock: clock)
      return try HybridCache<String, Data>(
        path: configuration.disk == nil ? nil : FuzzScratch.path("hybrid"),
        configuration: configuration, codec: .data)
    }
    guard let cache else { return }
    var latest: [String: Data] = [:]
    for number in 0..<48 where !choices.isEmpty {
      let key = "\(choices.below(12))"
      _ = try accepted(or: HybridCacheError.self) {
        switch choices.byte() % 8 {
        case 0...2:
          let found = try cache.entry(for: key)
          try require(found == nil || found?.value == latest[key], "a wrong value of \(key)")
        case 3, 4:
          let value = Data(repeating: UInt8(number), count: choices.below(200))
          // The result of a failed set is unspecified.
          latest[key] = value
          try cache.set(value, for: key)
        case 5:
          try cache.remove(key)
          latest[key] = nil
        case 6: clock.advance(by: choices.unsigned(below: 1000))
        default:
          switch choices.byte() % 4 {
          case 0: try cache.removeExpired()
          case 1: try cache.trim(toAge: choices.duration())
          case 2: try cache.trimDisk(toCount: choices.integer(below: 9))
          default: _ = cache.handle(.critical)
          }
        }
      }
    }
  }
}
