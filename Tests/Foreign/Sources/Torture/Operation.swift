import Foundation
import Larder

/// Operations on a cache with an exactly known effect: deterministic for a seed, so that another
/// process can compute the state that they should have left.
enum Operation {
  case set(EntryKey, version: UInt64, isPermanent: Bool)
  case remove(EntryKey)
  case renew(EntryKey, version: UInt64)
  case removeSuite(String)
  case get(EntryKey)
  case flush

  /// Draws an operation; `number` makes its version unique.
  static func draw(_ random: inout Random, keys: Int, number: UInt64) -> Operation {
    let key = EntryKey(random.below(keys))
    switch random.below(20) {
    case 0..<11: return .set(key, version: number, isPermanent: random.oneIn(8))
    case 11..<14: return .remove(key)
    case 14..<16: return .renew(key, version: number)
    case 16..<18: return .get(key)
    case 18: return .flush
    default: return random.oneIn(6) ? .removeSuite(random.pick(EntryKey.suites)) : .get(key)
    }
  }

  /// Performs the operation, and throws `Failure` if a get contradicts `state`.
  func perform(_ cache: BlockingDiskCache, _ state: History) throws {
    switch self {
    case .set(let key, let version, let isPermanent):
      let isStored = try cache.set(
        PatternValue.make(key, version), for: key.key, suite: key.suite,
        options: DiskStoreOptions(version: "\(version)", isPermanent: isPermanent))
      try require(isStored, "\(key) was not stored")
    case .remove(let key):
      let wasThere = try cache.remove(key.key, suite: key.suite)
      try require(wasThere == (state.entries[key] != nil), "remove(\(key)) says \(wasThere)")
    case .renew(let key, let version):
      let wasThere = try cache.renew(key.key, suite: key.suite, version: "\(version)")
      try require(wasThere == (state.entries[key] != nil), "renew(\(key)) says \(wasThere)")
    case .removeSuite(let suite):
      _ = try cache.removeAll(suite: suite, includingPermanent: true)
    case .get(let key):
      let found = try History.find(key, in: cache)
      try require(
        found == state.entries[key],
        "get(\(key)) found \(String(describing: found)), expected "
          + "\(String(describing: state.entries[key]))")
    case .flush:
      try cache.flush()
    }
  }
}
