import Foundation

/// The values of the kill tests: made from key and version alone, so that whoever reads one can
/// tell whether it is whole and whose it is.
enum VictimValue {
  /// The value of a key in one version: its version in the first eight bytes, or less when empty.
  static func make(key: Int, version: UInt64) -> Data {
    let sizes = [8, 40, 3_000, 30_000, 70_000]
    let size = sizes[Int((UInt64(key) &+ version) % UInt64(sizes.count))]
    var state = UInt64(key) &* 0x9e37_79b9_7f4a_7c15 &+ version
    var words: [UInt64] = [version.littleEndian]
    while words.count * 8 < size {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      words.append(state)
    }
    return words.withUnsafeBytes { Data($0.prefix(size)) }
  }

  static func version(of value: Data, key: Int) -> UInt64? {
    guard value.count >= 8 else { return nil }
    let version = value.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    return make(key: key, version: version) == value ? version : nil
  }
}
