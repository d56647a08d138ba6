import Larder

/// Contents of a simulated cache.
struct CacheState: Equatable {
  /// Versions of an entry's value and of its metadata.
  struct Entry: Hashable {
    var value: UInt64
    var noted: String?
    var isPermanent: Bool
  }

  var entries: [Int: Entry] = [:]

  init() {}

  init(of cache: BlockingDiskCache) throws {
    for key in 0..<SimulatedKey.count {
      if let found = try Self.find(key, in: cache) { entries[key] = found }
    }
  }

  /// Reads the entry of a key; throws `SimulationFailure` if the value was never stored for it.
  static func find(_ number: Int, in cache: BlockingDiskCache) throws -> Entry? {
    let key = SimulatedKey(number: number)
    guard let entry = try cache.entry(for: key.key, suite: key.suite) else { return nil }
    guard let version = SimulatedValue.version(of: entry.data, number) else {
      throw SimulationFailure(
        "torn or mixed: key \(number) has \(entry.data.count) bytes that are none of its own")
    }
    return Entry(
      value: version, noted: entry.metadata.version, isPermanent: entry.metadata.isPermanent)
  }

  mutating func apply(_ operation: CacheOperation) {
    switch operation {
    case .set(let key, let version, let isPermanent):
      entries[key] = Entry(value: version, noted: "\(version)", isPermanent: isPermanent)
    case .remove(let key): entries[key] = nil
    case .renew(let key, let version): entries[key]?.noted = "\(version)"
    case .removeSuite(let suite, _):
      entries = entries.filter { !SimulatedKey.isInSuite($0.key, suite) }
    case .get, .flush: break
    }
  }

  /// True if this state can result from `other` by losing values in files.
  func isLeft(of other: CacheState, inlineBytesMax: Int) -> Bool {
    for key in 0..<SimulatedKey.count where entries[key] != other.entries[key] {
      guard entries[key] == nil, let lost = other.entries[key],
        SimulatedValue.size(key, lost.value) > inlineBytesMax
      else { return false }
    }
    return true
  }
}
