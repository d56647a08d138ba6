import LarderEngine
import Synchronization

/// The 64-bit key of an object whose id in the trace is text: a hash similar to wyhash (Wang Yi),
/// equal on all machines. The probability that any two of a billion texts share a key is about 3 %,
/// for a hundred million 0.03 %; they would count as one object.
public enum KeyHash {
  private static let seed: UInt64 = 0xA076_1D64_78BD_642F
  private static let factor: UInt64 = 0xE703_7ED1_A0B4_28DB

  /// Returns the key of a text.
  /// - Complexity: O(bytes).
  public static func hash(_ text: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let bytes = UnsafeRawBufferPointer(text)
    var state = seed ^ UInt64(bytes.count)
    var offset = 0
    while offset + 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      state = fold(state ^ word, factor)
      offset += 8
    }
    var last: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count {
      last |= UInt64(bytes[offset]) &<< shift
      shift += 8
      offset += 1
    }
    return fold(fold(state ^ last, factor), seed)
  }

  /// Returns the key of a text.
  public static func hash(_ text: String) -> UInt64 {
    var text = text
    return text.withUTF8 { hash($0) }
  }

  /// Returns the key of an id as written in a text trace: a whole number up to 2^64-1 without sign
  /// or leading zeros is its own key, everything else is hashed.
  @inline(__always) public static func key(_ field: TextField) -> UInt64 {
    var rest = field
    let hasLeadingZero = field.count > 1 && field.next.pointee == 0x30
    if !hasLeadingZero, let number = rest.takeInteger(), rest.isEmpty { return number }
    let key = hash(UnsafeBufferPointer(start: field.next, count: field.count))
    if KeyTexts.isOn.load(ordering: .relaxed) { KeyTexts.add(key, field.text) }
    return key
  }

  /// Key of an id of two parts; depends on where the parts are divided.
  @inline(__always) static func joined(_ first: UInt64, _ second: UInt64) -> UInt64 {
    let key = fold(fold(first ^ seed, factor) ^ second, factor)
    if KeyTexts.isOn.load(ordering: .relaxed) {
      KeyTexts.add(key, KeyTexts.text(of: first) + " + " + KeyTexts.text(of: second))
    }
    return key
  }

  @inline(__always) private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}

/// Texts of hashed keys, for showing the first requests of a trace.
package enum KeyTexts {
  /// Number of texts that are kept; further keys are shown as numbers.
  private static let maximum = 1 << 18
  private static let texts = Locked<[UInt64: String]>([:])
  private static let parts = Locked<[UInt64: [String: String]]>([:])

  static let isOn = Atomic<Bool>(false)

  package static func keep() { isOn.store(true, ordering: .relaxed) }

  static func add(_ key: UInt64, _ text: String) {
    texts.withLock { if $0.count < maximum { $0[key] = text } }
  }

  static func add(_ key: UInt64, parts new: KeyValuePairs<String, TextField>) {
    let known = new.filter { !$0.value.isNothing }.map { ($0.key, $0.value.text) }
    parts.withLock { parts in
      if parts.count < maximum { parts[key] = Dictionary(known, uniquingKeysWith: { $1 }) }
    }
  }

  package static let roles = ["host", "path", "query"]

  package static func part(_ role: String, of key: UInt64) -> String? {
    parts.withLock { $0[key]?[role] }
  }

  package static func text(of key: UInt64) -> String { texts.withLock { $0[key] } ?? "\(key)" }
}

/// A key that is composed of parts of a line. Reuses one buffer.
final class KeyText {
  private var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(1024) }

  func clear() { bytes.removeAll(keepingCapacity: true) }

  var key: UInt64 {
    bytes.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return KeyHash.hash(bytes) }
      return KeyHash.key(TextField(start, start + bytes.count))
    }
  }

  func append(_ field: TextField, lowercased: Bool) {
    let start = bytes.count
    bytes.append(contentsOf: UnsafeBufferPointer(start: field.next, count: field.count))
    guard lowercased else { return }
    for index in start..<bytes.count where bytes[index] &- 0x41 < 26 { bytes[index] |= 0x20 }
  }

  func append(_ text: String) { bytes += text.utf8 }

  func append(_ query: TextField, by rule: WebOptions.Query, lowercased: Bool) {
    if query.isNothing { return }
    switch rule {
    case .drop: return
    case .keep:
      bytes.append(0x3F)
      append(query, lowercased: lowercased)
    case .only(let names):
      for name in names {
        guard let parameter = KeyText.parameter(name, in: query) else { continue }
        bytes.append(0x26)
        append(parameter, lowercased: lowercased)
      }
    }
  }

  private static func parameter(_ name: [UInt8], in query: TextField) -> TextField? {
    var start = query.next
    while start < query.end {
      let end = TextField(start, query.end).find(0x26) ?? query.end
      let parameter = TextField(start, end)
      let nameEnd = parameter.find(0x3D) ?? end
      if TextField(start, nameEnd).equals(name) { return parameter }
      start = end < query.end ? end + 1 : end
    }
    return nil
  }
}
