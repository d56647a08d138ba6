import Larder

enum ByteRange: Sendable, Hashable {
  /// From a position to another, inclusive, or to the end.
  case from(Int64, Int64?)
  /// The last bytes.
  case suffix(Int64)

  init?(_ header: String) {
    let text = header.asciiTrimmed.asciiLowercased
    guard text.hasPrefix("bytes="), !text.contains(",") else { return nil }
    let range = text.dropFirst(6)
    guard let dash = range.firstIndex(of: "-") else { return nil }
    let first = String(range[..<dash]).asciiTrimmed
    let last = String(range[range.index(after: dash)...]).asciiTrimmed
    if first.isEmpty {
      guard let count = Self.number(last), count > 0 else { return nil }
      self = .suffix(count)
    } else {
      guard let first = Self.number(first), last.isEmpty || (Self.number(last) ?? -1) >= first
      else { return nil }
      self = .from(first, Self.number(last))
    }
  }

  func positions(total: Int64) -> Range<Int64>? {
    switch self {
    case .from(let first, let last):
      guard first < total else { return nil }
      return first..<(last.map { min($0, total - 1) + 1 } ?? total)
    case .suffix(let count):
      guard total > 0 else { return nil }
      return max(0, total - count)..<total
    }
  }

  static func number(_ text: some StringProtocol) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int64(text)
  }
}

/// A `Content-Range` header with a range of bytes.
struct ContentRange: Sendable, Hashable {
  var first: Int64
  var last: Int64
  /// Bytes of the whole representation; nil if unknown.
  var total: Int64?
}

extension ContentRange {
  init?(_ header: String) {
    let text = header.asciiTrimmed.asciiLowercased
    guard text.hasPrefix("bytes ") else { return nil }
    let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let range = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard range.count == 2, let first = ByteRange.number(range[0]),
      let last = ByteRange.number(range[1]), first <= last, last < 1 << 62
    else { return nil }
    let total = ByteRange.number(parts[1])
    guard parts[1] == "*" || (total ?? 0) > last else { return nil }
    self.init(first: first, last: last, total: total)
  }

  var text: String { "bytes \(first)-\(last)/\(total.map { "\($0)" } ?? "*")" }
}
