import Larder
import Synchronization

/// Values that a cache may return, whatever it has evicted: the latest value of a key, until it
/// expires.
struct CacheModel {
  struct Entry {
    var value: String
    /// Microseconds; `UInt64.max` for never.
    var expires: UInt64
    var isPermanent: Bool
    /// Time of the last store or get in microseconds.
    var used: UInt64 = 0
  }

  /// Longest time without a use after which an entry may be returned, in microseconds.
  var idleLife = UInt64.max
  private(set) var entries: [Int: Entry] = [:]

  mutating func store(_ entry: Entry, for key: Int) { entries[key] = entry }

  mutating func remove(_ key: Int) { entries[key] = nil }

  /// Removes all entries, or all that are not permanent, of the keys that match.
  mutating func removeAll(includingPermanent: Bool, where matches: (Int) -> Bool = { _ in true }) {
    entries = entries.filter { key, entry in
      !matches(key) || entry.isPermanent && !includingPermanent
    }
  }

  mutating func check(
    _ value: String?, of key: Int, now: UInt64, acceptsExpired: Bool = false
  ) throws {
    guard let value else { return }
    guard let known = entries[key] else {
      throw TortureFailure("key \(key) has '\(value.prefix(20))', and nothing was stored")
    }
    guard known.value == value else {
      throw TortureFailure(
        "key \(key) has '\(value.prefix(20))', expected '\(known.value.prefix(20))'")
    }
    guard acceptsExpired || known.expires > now else {
      throw TortureFailure("key \(key) expired at \(known.expires), and it is \(now)")
    }
    guard acceptsExpired || known.isPermanent || now - min(known.used, now) <= idleLife else {
      throw TortureFailure("key \(key) was last used at \(known.used), and it is \(now)")
    }
    entries[key]?.used = now
  }

  var permanentBytes: UInt64 {
    entries.values.reduce(0) { $0 + ($1.isPermanent ? UInt64($1.value.utf8.count) : 0) }
  }

  var permanentCount: Int { entries.values.count { $0.isPermanent } }

  /// Expiry of an entry stored now, from its own TTL and the cache's limit.
  static func expiry(_ life: Duration?, limit: Duration?, now: UInt64) -> UInt64 {
    let lives = [life, limit].compactMap { $0 }.map(microseconds)
    guard let shortest = lives.min() else { return .max }
    let (expiry, overflows) = now.addingReportingOverflow(shortest)
    return overflows ? .max : expiry
  }

  static func microseconds(_ duration: Duration) -> UInt64 {
    if duration <= .zero { return 0 }
    if duration >= .seconds(9_000_000_000_000) { return UInt64(Int64.max) }
    let (seconds, attoseconds) = duration.components
    // In memory the shortest TTL is a microsecond.
    return max(1, UInt64(seconds) * 1_000_000 + UInt64(attoseconds) / 1_000_000_000_000)
  }
}

/// An error found by a round.
struct TortureFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// A clock moved by the test.
final class TortureClock: CacheClock {
  private let time: Atomic<UInt64>

  init(_ start: UInt64) { time = Atomic(start) }

  // In two parts, because the last times have more microseconds than a signed number holds.
  var now: CacheInstant {
    let half = microseconds / 2
    return CacheInstant(.microseconds(Int64(half)))
      .advanced(by: .microseconds(Int64(microseconds - half)))
  }

  /// Current time in microseconds, for models.
  var microseconds: UInt64 { time.load(ordering: .relaxed) }

  /// Advances the clock; stops before the end of time.
  func advance(_ microseconds: UInt64) {
    let (sum, overflows) = self.microseconds.addingReportingOverflow(microseconds)
    time.store(overflows ? .max - 1 : sum, ordering: .relaxed)
  }
}
