/// What a `Cache-Control` header says to a cache of one user.
struct ResponseCacheControl {
  /// Whether the response may not be stored.
  private(set) var forbidsStoring = false
  /// For how long it may be used without asking the origin; nil if nothing is said.
  private(set) var maxAge: Duration?
  /// True if it may not be used without asking the origin once it has expired.
  private(set) var mustRevalidate = false

  /// The directives of a header.
  init(_ header: String) {
    // Arguments may be quoted, and a quoted one may have commas: of other directives.
    var isQuoted = false
    let directives = header.utf8.split { byte in
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      return byte == UInt8(ascii: ",") && !isQuoted
    }
    for directive in directives {
      let parts = String(Substring(directive)).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false
      ).map { $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" } }
      switch parts[0].lowercased() {
      case "no-store": forbidsStoring = true
      // `no-cache="name"` is about a header alone.
      case "no-cache" where parts.count == 1:
        shorten(to: 0)
        mustRevalidate = true
      case "must-revalidate": mustRevalidate = true
      case "max-age": shorten(to: parts.count == 1 ? 0 : Self.seconds(parts[1]))
      default: break
      }
    }
  }

  private mutating func shorten(to seconds: Int64) {
    maxAge = min(maxAge ?? .seconds(seconds), .seconds(seconds))
  }

  /// At most 2^31, as RFC 9111 (1.2.2) has it for numbers that are too large.
  private static func seconds(_ text: String) -> Int64 {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
    return min(Int64(text) ?? .max, 1 << 31)
  }
}
