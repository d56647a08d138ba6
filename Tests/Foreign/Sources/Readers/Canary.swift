/// A value that contains its key, so that a reader can check that it is the requested one and still
/// alive.
protocol Canary: Sendable, Codable {
  /// Creates a value for a key; `version` distinguishes it from earlier ones of the same key.
  init(key: Int, version: Int)
  /// Returns true if this is an intact value of the key.
  func belongs(to key: Int) -> Bool
}

extension String: Canary {
  // Longer than 15 bytes, so that the string is on the heap and reference-counted.
  init(key: Int, version: Int) { self = "article \(key) version \(version) of many" }

  func belongs(to key: Int) -> Bool { hasPrefix("article \(key) version ") && hasSuffix(" many") }
}

/// A structure that contains a reference and plain bytes.
struct Article: Canary {
  let number: Int
  let title: String
  let version: Int

  init(key: Int, version: Int) {
    number = key
    title = String(key: key, version: version)
    self.version = version
  }

  func belongs(to key: Int) -> Bool { number == key && title.belongs(to: key) }
}

/// An object that corrupts itself when it is destroyed, which reveals a use afterwards.
final class Picture: Canary, @unchecked Sendable {
  private var number: Int
  private var complement: Int

  init(key: Int, version: Int) {
    number = key
    complement = ~key
  }

  deinit {
    number = -1
    complement = -1
  }

  func belongs(to key: Int) -> Bool { number == key && complement == ~key }
}

/// 128 bytes without a reference.
struct Block: Canary {
  private var words = Words(0, 0)

  private struct Words: Codable {
    var a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p: Int

    init(_ key: Int, _ version: Int) {
      (a, b, c, d) = (key, version, key, version)
      (e, f, g, h) = (key, version, key, version)
      (i, j, k, l) = (key, version, key, version)
      (m, n, o, p) = (key, version, key, version)
    }
  }

  init(key: Int, version: Int) { words = Words(key, version) }

  func belongs(to key: Int) -> Bool {
    let w = words
    let keys = [w.a, w.c, w.e, w.g, w.i, w.k, w.m, w.o]
    let versions = [w.d, w.f, w.h, w.j, w.l, w.n, w.p]
    return keys.allSatisfy { $0 == key } && versions.allSatisfy { $0 == w.b }
  }
}
