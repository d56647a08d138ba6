import Foundation

/// Values derived from key and version alone, so that a reader can check integrity and owner.
enum PatternValue {
  private static let sizes = [8, 9, 40, 300, 3_000, 19_000, 21_000, 60_000]

  static func make(_ key: EntryKey, _ version: UInt64) -> Data {
    var random = Random(seed: key.hash &+ version &* 0x9E37_79B9_7F4A_7C15)
    let size = random.pick(sizes)
    var words: [UInt64] = [version.littleEndian]
    while words.count * 8 < size { words.append(random.next()) }
    return words.withUnsafeBytes { Data($0.prefix(size)) }
  }

  /// Returns the version of an intact value of the key, or nil.
  static func version(of value: Data, _ key: EntryKey) -> UInt64? {
    guard value.count >= 8 else { return nil }
    let version = value.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    return make(key, version) == value ? version : nil
  }
}

/// A key with its suite.
struct EntryKey: Hashable, CustomStringConvertible {
  static let suites = ["", "images", "naïve"]

  var suite: String
  var key: String

  /// Creates one of `count` keys.
  init(_ number: Int) {
    suite = Self.suites[number % Self.suites.count]
    // Some are long, so that rows with overflow pages occur.
    key = "key \(number)" + String(repeating: "/part", count: number % 11 == 0 ? 1_200 : 0)
  }

  var hash: UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in (suite + "\0" + key).utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return hash
  }

  var description: String { "\(suite)/\(key.prefix(12))" }
}
