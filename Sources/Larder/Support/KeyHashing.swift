import LarderEngine

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Hash function for the keys of a cache.
public enum KeyHashing: Sendable, Hashable {
  /// Swift's `Hasher`, which resists keys chosen to collide.
  case standard
  /// A hash that is several times as fast for integers, `UUID` and ASCII strings. Attackers who
  /// choose keys and measure times may make keys collide, which makes the cache slow, never wrong.
  case fast
  /// `fast` with a seed that does not change between runs.
  case seeded(UInt64)
}

@usableFromInline struct KeyHasher: Sendable {
  @usableFromInline let isFast: Bool
  @usableFromInline let seed: UInt64
  @usableFromInline let fingerprints: KeyFingerprints

  init(_ hashing: KeyHashing, _ fingerprints: KeyFingerprints = .hashes) {
    self.fingerprints = fingerprints
    switch hashing {
    case .standard: (isFast, seed) = (false, 0)
    case .fast: (isFast, seed) = (true, .random(in: .min ... .max))
    case .seeded(let seed): (isFast, self.seed) = (true, seed)
    }
  }

  @inlinable @inline(__always) func hash<Key: Hashable>(_ key: Key) -> UInt64 {
    if isFast {
      if Key.self == Int.self {
        return mix(UInt64(bitPattern: Int64(unsafeBitCast(key, to: Int.self))))
      } else if Key.self == UInt64.self {
        return mix(unsafeBitCast(key, to: UInt64.self))
      } else if Key.self == Int64.self {
        return mix(UInt64(bitPattern: unsafeBitCast(key, to: Int64.self)))
      } else if Key.self == UInt.self {
        return mix(UInt64(unsafeBitCast(key, to: UInt.self)))
      } else if Key.self == UInt32.self {
        return mix(UInt64(unsafeBitCast(key, to: UInt32.self)))
      } else if Key.self == Int32.self {
        return mix(UInt64(bitPattern: Int64(unsafeBitCast(key, to: Int32.self))))
      } else if Key.self == String.self {
        return text(unsafeBitCast(key, to: String.self))
      } else if Key.self == UUID.self {
        return pair(unsafeBitCast(key, to: (UInt64, UInt64).self))
      }
    }
    // Mixed once more: a key's own `hashValue` may be anything.
    return KeyHasher.fold(UInt64(bitPattern: Int64(key.hashValue)) ^ 0xD1B5_4A32_D192_ED03)
  }

  @inlinable @inline(__always) func fingerprint<Key: Hashable>(_ key: Key, _ hash: UInt64) -> UInt32
  {
    if fingerprints == .hashes { return UInt32(truncatingIfNeeded: hash) }
    return replayedFingerprint(key)
  }

  @usableFromInline @inline(never) func replayedFingerprint<Key: Hashable>(_ key: Key) -> UInt32 {
    if let number = key as? UInt64 { return fingerprints.fingerprint(number: number) }
    return fingerprints.fingerprint(text: "\(key)".utf8)
  }

  @inlinable @inline(__always) func mix(_ key: UInt64) -> UInt64 { KeyHasher.fold(key ^ seed) }

  @inlinable @inline(__always) func pair(_ key: (UInt64, UInt64)) -> UInt64 {
    KeyHasher.fold((mix(key.0) &+ 0xA076_1D64_78BD_642F) ^ key.1)
  }

  /// XOR of both halves of a product with an odd constant: every bit of the key affects every part.
  @inlinable @inline(__always) static func fold(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }

  @usableFromInline func text(_ key: String) -> UInt64 {
    var key = key
    let hash = key.withUTF8 { bytes -> UInt64? in
      var seen: UInt64 = 0
      var hash = seed ^ UInt64(truncatingIfNeeded: bytes.count)
      let raw = UnsafeRawBufferPointer(bytes)
      var place = 0
      while place + 8 <= raw.count {
        let word = raw.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        seen |= word
        hash = KeyHasher.fold(hash ^ word) &+ 0xA076_1D64_78BD_642F
        place += 8
      }
      var tail: UInt64 = 0
      while place < raw.count {
        tail = tail << 8 | UInt64(raw[place])
        place += 1
      }
      seen |= tail
      guard seen & 0x8080_8080_8080_8080 == 0 else { return nil }
      return KeyHasher.fold(hash ^ tail)
    }
    if let hash { return hash }
    let scalars = key.unicodeScalars
    if scalars.allSatisfy({ Self.ascii($0) != nil }) {
      return text(String(String.UnicodeScalarView(scalars.compactMap(Self.ascii))))
    }
    return mix(UInt64(bitPattern: Int64(key.hashValue)))
  }

  /// The character in ASCII that counts as equal. Only three others have one.
  private static func ascii(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    switch scalar {
    case "\u{37E}": ";"
    case "\u{1FEF}": "`"
    case "\u{212A}": "K"
    default: scalar.isASCII ? scalar : nil
    }
  }
}

/// Fingerprints of keys for sketches and admission filters: `Request.fingerprint`.
@usableFromInline package enum KeyFingerprints: Sendable, Hashable {
  /// Part of the key's hash: in memory by `KeyHashing`, on disk of the digest, which does not
  /// change after a restart.
  case hashes
  /// Fingerprints of a simulation: the keys are object ids of a trace, or strings that end in one.
  case objectIDs
  /// As `objectIDs`, with `spread` ids.
  case spreadObjectIDs

  @usableFromInline package func fingerprint(number: UInt64) -> UInt32 {
    Request.fingerprint(
      of: self == .spreadObjectIDs
        ? ObjectID(spread: number) : ObjectID(truncatingIfNeeded: number))
  }

  package func fingerprint(text: some BidirectionalCollection<UInt8>) -> UInt32 {
    var number: UInt64 = 0
    var factor: UInt64 = 1
    for byte in text.reversed() {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
      number &+= UInt64(byte - UInt8(ascii: "0")) &* factor
      factor &*= 10
    }
    return fingerprint(number: number)
  }
}
