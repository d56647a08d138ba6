import Foundation
import Larder
import LarderEngine
import LarderExperiments

/// Foundation's `NSCache` with typical use in an app: boxed keys and values. TTLs, which it does
/// not support, are stored with the value.
final class FoundationCache: CacheUnderTest, @unchecked Sendable {
  private final class Box {
    let value: Data
    let expires: UInt64

    init(_ value: Data, _ expires: UInt64) {
      self.value = value
      self.expires = expires
    }
  }

  private let cache = NSCache<NSNumber, Box>()
  private let timeToLive: UInt64
  private let clock: TraceClock

  init(_ tier: TierSetup, _ setup: CacheSetup) {
    let capacity = Int(clamping: tier.capacity)
    let objectsMax = Int(clamping: tier.objectsMax ?? .max)
    if setup.simulation.unit == .bytes {
      cache.totalCostLimit = capacity
      if tier.objectsMax != nil { cache.countLimit = objectsMax }
    } else {
      cache.countLimit = min(capacity, objectsMax)
    }
    timeToLive = UInt64(tier.timeToLiveSeconds ?? 0) * 1_000_000
    clock = setup.clock
  }

  func get(_ key: UInt64) -> CacheAnswer? {
    let number = NSNumber(value: key)
    guard let box = cache.object(forKey: number) else { return nil }
    guard box.expires == .max || box.expires > clock.time else {
      cache.removeObject(forKey: number)
      return nil
    }
    return CacheAnswer(box.value)
  }

  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) {
    var life = options.timeToLiveMicroseconds
    if timeToLive != 0, life == 0 || timeToLive < life { life = timeToLive }
    let (expiry, overflows) = clock.time.addingReportingOverflow(life)
    cache.setObject(
      Box(value, life == 0 || overflows ? .max : expiry), forKey: NSNumber(value: key),
      cost: Int(options.weight))
  }

  func remove(_ key: UInt64) { cache.removeObject(forKey: NSNumber(value: key)) }
}

extension CacheContender {
  static let foundation = CacheContender(
    name: "nscache",
    summary: "Foundation's NSCache, with TTLs stored next to the values; it reports neither its "
      + "contents nor its evictions",
    kinds: [.memory]
  ) { setup in
    guard case .memory(let tier) = setup.simulation.arrangement else {
      throw ExecutionError.kind(cache: "nscache", kind: .disk)
    }
    return FoundationCache(tier, setup)
  }
}
