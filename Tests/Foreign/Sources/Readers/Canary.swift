/// A value that knows the key it belongs to, so that a reader can tell whether it got what it asked
/// for and whether that was still alive.
protocol Canary: Sendable, Codable {
  /// A value for a key; `version` makes it differ from earlier ones of the same key.
  init(key: Int, version: Int)
  /// Whether this is a whole value of the key.
  func belongs(to key: Int) -> Bool
}

extension String: Canary {
  // Longer than 15 bytes, so that the text is on the heap and counted.
  init(key: Int, version: Int) { self = "article \(key) version \(version) of many" }

  func belongs(to key: Int) -> Bool { hasPrefix("article \(key) version ") && hasSuffix(" many") }
}

/// A structure that holds a reference beside plain bytes.
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

/// An object that spoils itself when it ends, so that a use after its end is seen.
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
