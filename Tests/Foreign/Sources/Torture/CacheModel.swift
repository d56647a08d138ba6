import Larder
import Synchronization

/// What a cache may say of its keys, whatever it has given up: the value stored last, until it
/// expires.
struct CacheModel {
  struct Entry {
    var value: String
    /// Microseconds; `UInt64.max` for never.
    var expires: UInt64
    var isPermanent: Bool
  }

  private(set) var entries: [Int: Entry] = [:]

  /// A value was stored.
  mutating func store(_ entry: Entry, for key: Int) { entries[key] = entry }

  /// Nothing is there under a key.
  mutating func remove(_ key: Int) { entries[key] = nil }

  /// Nothing is there but what is permanent, or nothing at all.
  mutating func removeAll(includingPermanent: Bool) {
    entries = includingPermanent ? [:] : entries.filter { $0.value.isPermanent }
  }

  /// Checks what a get has given.
  func check(_ value: String?, of key: Int, now: UInt64, acceptsExpired: Bool = false) throws {
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
  }

  /// Bytes of the values that are permanent.
  var permanentBytes: UInt64 {
    entries.values.reduce(0) { $0 + ($1.isPermanent ? UInt64($1.value.utf8.count) : 0) }
  }

  /// Entries that are permanent.
  var permanentCount: Int { entries.values.count { $0.isPermanent } }

  /// When something stored at an instant expires, with a life of its own and the cache's longest.
  static func expiry(_ life: Duration?, limit: Duration?, now: UInt64) -> UInt64 {
    let lives = [life, limit].compactMap { $0 }.map(microseconds)
    guard let shortest = lives.min() else { return .max }
    let (expiry, overflows) = now.addingReportingOverflow(shortest)
    return overflows ? .max : expiry
  }

  private static func microseconds(_ duration: Duration) -> UInt64 {
    if duration <= .zero { return 0 }
    if duration >= .seconds(9_000_000_000_000) { return UInt64(Int64.max) }
    let (seconds, attoseconds) = duration.components
    // In memory the shortest life is a microsecond.
    return max(1, UInt64(seconds) * 1_000_000 + UInt64(attoseconds) / 1_000_000_000_000)
  }
}

/// What a round has found to be wrong.
struct TortureFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// A clock that moves when it is told to.
final class TortureClock: CacheClock {
  private let time: Atomic<UInt64>

  init(_ start: UInt64) { time = Atomic(start) }

  // In two parts, as the last moments are more microseconds than a signed number holds.
  var now: CacheInstant {
    let half = microseconds / 2
    return CacheInstant(.microseconds(Int64(half)))
      .advanced(by: .microseconds(Int64(microseconds - half)))
  }

  /// The same for models.
  var microseconds: UInt64 { time.load(ordering: .relaxed) }

  /// Moves on; stops before the end of time.
  func advance(_ microseconds: UInt64) {
    let (sum, overflows) = self.microseconds.addingReportingOverflow(microseconds)
    time.store(overflows ? .max - 1 : sum, ordering: .relaxed)
  }
}
