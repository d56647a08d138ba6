import Foundation
import Larder

/// A key of a simulated cache, by number.
struct SimulatedKey {
  static let count = 18
  private static let suites = ["", "images", "naïve"]

  let number: Int

  var suite: String { Self.suites[number % Self.suites.count] }

  /// The key; some are long, so that rows with overflow pages occur.
  var key: String {
    "key \(number)" + String(repeating: "/part", count: number % 9 == 4 ? 1_000 : 0)
  }

  static func isInSuite(_ number: Int, _ suite: Int) -> Bool { number % suites.count == suite }

  static func suite(_ number: Int) -> String { suites[number % suites.count] }
}

/// Values derived from key and version alone, so that a reader can check integrity and owner.
enum SimulatedValue {
  private static let sizes = [8, 9, 40, 300, 300, 1_500, 5_000, 9_000]

  static func size(_ key: Int, _ version: UInt64) -> Int {
    var random = SimulationRandom(seed: version &* 64 &+ UInt64(key))
    return random.pick(sizes)
  }

  static func make(_ key: Int, _ version: UInt64) -> Data {
    let size = size(key, version)
    var state = SimulationRandom.mixed(version &* 64 &+ UInt64(key))
    var words: [UInt64] = [version.littleEndian]
    words.reserveCapacity(size / 8 + 1)
    while words.count * 8 < size {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      words.append(state)
    }
    return words.withUnsafeBytes { Data($0.prefix(size)) }
  }

  /// Returns the version of an intact value of the key, or nil.
  static func version(of value: Data, _ key: Int) -> UInt64? {
    guard value.count >= 8 else { return nil }
    let version = value.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(as: UInt64.self)) }
    return make(key, version) == value ? version : nil
  }
}
