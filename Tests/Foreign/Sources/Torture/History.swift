import Foundation
import Larder

/// State after a number of operations.
struct History: Equatable {
  /// Versions of an entry's value and of its metadata.
  struct Entry: Equatable {
    var value: UInt64
    var noted: String?
  }

  var entries: [EntryKey: Entry] = [:]

  mutating func apply(_ operation: Operation) {
    switch operation {
    case .set(let key, let version, _):
      entries[key] = Entry(value: version, noted: "\(version)")
    case .remove(let key): entries[key] = nil
    case .renew(let key, let version): entries[key]?.noted = "\(version)"
    case .removeSuite(let suite): entries = entries.filter { $0.key.suite != suite }
    case .get, .flush: break
    }
  }

  /// Reads the entry of a key; throws `Failure` if the value was never stored for it.
  static func find(_ key: EntryKey, in cache: BlockingDiskCache) throws -> Entry? {
    guard let entry = try cache.entry(for: key.key, suite: key.suite) else { return nil }
    guard let version = PatternValue.version(of: entry.data, key) else {
      throw Failure("wrong value: \(key) has \(entry.data.count) bytes that are none of its own")
    }
    return Entry(value: version, noted: entry.metadata.version)
  }

  /// Reads the entries of the first `keys` keys.
  init(of cache: BlockingDiskCache, keys: Int) throws {
    for number in 0..<keys {
      let key = EntryKey(number)
      if let found = try Self.find(key, in: cache) { entries[key] = found }
    }
  }

  init() {}
}
