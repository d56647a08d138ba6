/// Directives of `Cache-Control` in a request or a response, for a private cache (RFC 9111, 5.2;
/// RFC 5861; RFC 8246). `s-maxage`, `private` and `proxy-revalidate` concern shared caches alone.
package struct CacheControl: Sendable, Hashable {
  /// Largest number of seconds, which stands for all that are larger (RFC 9111, 1.2.2).
  package static let secondsMax: Int64 = 1 << 31

  /// `max-age`; of several the lowest. A value that is no number counts as 0.
  package private(set) var maxAge: Int64?
  package private(set) var noStore = false
  /// `no-cache` without names of fields.
  package private(set) var noCache = false
  /// Fields that `no-cache="..."` lists.
  package private(set) var noCacheFields: [String] = []
  package private(set) var mustRevalidate = false
  package private(set) var mustUnderstand = false
  package private(set) var isPublic = false
  package private(set) var isImmutable = false
  package private(set) var staleWhileRevalidate: Int64?
  package private(set) var staleIfError: Int64?
  /// `max-stale` of a request; `secondsMax` without a value.
  package private(set) var maxStale: Int64?
  package private(set) var minFresh: Int64?
  package private(set) var onlyIfCached = false

  package init(_ header: String?, isNoCache: Bool = false) {
    noCache = isNoCache
    for (name, argument) in Self.directives(header ?? "") { apply(name, argument) }
  }

  private mutating func apply(_ name: String, _ argument: String?) {
    switch name {
    case "max-age":
      let seconds = argument.flatMap(Self.seconds) ?? 0
      maxAge = min(maxAge ?? seconds, seconds)
    case "no-store": noStore = true
    case "no-cache":
      let names = (argument ?? "").split(separator: ",").map { String($0).asciiTrimmed }
        .filter { !$0.isEmpty }
      if names.isEmpty { noCache = true }
      noCacheFields += names
    case "must-revalidate": mustRevalidate = true
    case "must-understand": mustUnderstand = true
    case "public": isPublic = true
    case "immutable": isImmutable = true
    case "stale-while-revalidate":
      staleWhileRevalidate = lowest(staleWhileRevalidate, argument)
    case "stale-if-error": staleIfError = lowest(staleIfError, argument)
    case "max-stale":
      maxStale = argument == nil ? maxStale ?? Self.secondsMax : lowest(maxStale, argument)
    case "min-fresh":
      if let seconds = argument.flatMap(Self.seconds) { minFresh = max(minFresh ?? 0, seconds) }
    case "only-if-cached": onlyIfCached = true
    default: break
    }
  }

  private func lowest(_ known: Int64?, _ argument: String?) -> Int64? {
    guard let seconds = argument.flatMap(Self.seconds) else { return known }
    return min(known ?? seconds, seconds)
  }

  package static func seconds(_ text: String) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return min(Int64(text) ?? .max, secondsMax)
  }

  private static func directives(_ header: String) -> [(name: String, argument: String?)] {
    split(header).compactMap { directive in
      let parts = directive.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      // White space is not allowed around "=": an argument that has some is no number.
      let name = (parts.first.map(String.init) ?? "").asciiTrimmed.asciiLowercased
      guard !name.isEmpty else { return nil }
      guard parts.count == 2 else { return (name, nil) }
      let isClean = parts[0].utf8.last.map { $0 != 0x20 && $0 != 0x09 } ?? false
      return (name, isClean ? unquoted(String(parts[1])) : " " + String(parts[1]))
    }
  }

  /// Splits at commas outside quoted strings. A quote without an end is an ordinary character:
  /// it must not hide the directives behind it.
  private static func split(_ header: String) -> [String] {
    let bytes = Array(header.utf8)
    var parts: [String] = []
    var start = 0
    var index = 0
    func part(_ end: Int) -> String {
      String(decoding: bytes[start..<end], as: UTF8.self).asciiTrimmed
    }
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: ",") {
        parts.append(part(index))
        start = index + 1
      } else if bytes[index] == UInt8(ascii: "\""), let end = endOfQuote(bytes, index) {
        index = end
      }
      index += 1
    }
    parts.append(part(bytes.count))
    return parts
  }

  private static func endOfQuote(_ bytes: [UInt8], _ start: Int) -> Int? {
    var index = start + 1
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\"") { return index }
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  private static func unquoted(_ argument: String) -> String {
    guard argument.utf8.count >= 2, argument.hasPrefix("\""), argument.hasSuffix("\"") else {
      return argument
    }
    var text = ""
    var isEscaped = false
    for character in argument.dropFirst().dropLast() {
      if character == "\\", !isEscaped {
        isEscaped = true
      } else {
        text.append(character)
        isEscaped = false
      }
    }
    return text
  }
}
