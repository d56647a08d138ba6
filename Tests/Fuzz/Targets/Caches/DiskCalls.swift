import Foundation
import Larder

/// Calls of a disk cache with drawn arguments.
enum DiskCalls {
  /// Makes one call; a value found must be the one stored last.
  static func call(
    _ cache: BlockingDiskCache, _ choices: inout FuzzInput, _ latest: inout [String: Data],
    _ clock: FuzzClock
  ) throws {
    let key = "\(choices.below(12))"
    _ = try accepted(or: DiskCacheError.self) {
      switch choices.byte() % 8 {
      case 0, 1:
        let found = try cache.value(for: key)
        try require(found == nil || found == latest[key], "a wrong value of \(key)")
      case 2, 3, 4:
        let value = Data(repeating: choices.byte(), count: choices.integer(below: 400) & 1023)
        latest[key] = nil
        let isStored = try cache.set(
          value, for: key,
          options: DiskStoreOptions(
            timeToLive: choices.maybe { $0.duration() },
            version: choices.maybe { $0.text(upTo: 6) },
            isPermanent: choices.flag(), fetchCost: Float(choices.share())))
        if isStored { latest[key] = value }
      case 5:
        latest[key] = nil
        try cache.remove(key)
      case 6:
        switch choices.byte() % 6 {
        case 0: try cache.trim(bytes: choices.unsigned(below: 900))
        case 1: try cache.trim(toCount: choices.integer(below: 9))
        case 2: try cache.trim(toAge: choices.duration())
        case 3: try cache.removeExpired()
        case 4: try cache.renew(key, timeToLive: choices.duration())
        default: try cache.flush()
        }
      default: clock.advance(by: choices.unsigned(below: 1000))
      }
    }
  }
}
