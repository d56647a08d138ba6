/// What a `Cache-Control` header of an answer says to a shared cache (RFC 9111).
struct CacheControl {
  /// The answer may not be stored, or not be used without asking the origin.
  private(set) var forbids = false
  /// For how many seconds it may be used: `s-maxage`, or else `max-age`.
  private(set) var seconds: UInt64?

  /// The directives in a header. An empty header, or `-`, says nothing.
  init(_ header: TextField) {
    var rest = header
    var isShared = false
    while !rest.isEmpty {
      let end = rest.find(0x2C) ?? rest.end
      let directive = TextField(rest.next, end).trimmed
      rest = TextField(end < rest.end ? end + 1 : end, rest.end)
      let equals = directive.find(0x3D)
      let name = TextField(directive.next, equals ?? directive.end)
      if ["no-store", "private", "no-cache"].contains(where: { name.equals(Array($0.utf8)) }) {
        // `private="name"` forbids a header alone.
        if equals == nil { forbids = true }
      } else if let equals, name.equals(Array("s-maxage".utf8)) {
        seconds = CacheControl.number(TextField(equals + 1, directive.end)) ?? seconds
        isShared = true
      } else if let equals, !isShared, name.equals(Array("max-age".utf8)) {
        seconds = CacheControl.number(TextField(equals + 1, directive.end)) ?? seconds
      }
    }
  }

  private static func number(_ field: TextField) -> UInt64? {
    var rest = field
    if !rest.isEmpty, rest.next.pointee == 0x22 { rest.skip() }
    return rest.takeInteger()
  }
}
