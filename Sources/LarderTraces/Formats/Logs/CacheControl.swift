/// What a `Cache-Control` header of an answer says to a shared cache (RFC 9111).
struct CacheControl {
  /// The answer may not be stored, or not be used without asking the origin.
  private(set) var forbids = false
  /// For how many seconds it may be used: `s-maxage`, or else `max-age`.
  private(set) var seconds: UInt64?

  private static let forbidding: [StaticString] = ["no-store", "private", "no-cache"]

  /// The directives in a header, in upper or lower case. An empty header, or `-`, says nothing.
  init(_ header: TextField) {
    var rest = header
    var isShared = false
    while !rest.isEmpty {
      let directive = CacheControl.takeDirective(&rest)
      let equals = directive.find(0x3D)
      let name = TextField(directive.next, equals ?? directive.end)
      if CacheControl.forbidding.contains(where: { name.equals(anyCase: $0) }) {
        // `private="name"` forbids a header alone.
        if equals == nil { forbids = true }
      } else if let equals, name.equals(anyCase: "s-maxage") {
        seconds = CacheControl.number(TextField(equals + 1, directive.end)) ?? seconds
        isShared = true
      } else if let equals, !isShared, name.equals(anyCase: "max-age") {
        seconds = CacheControl.number(TextField(equals + 1, directive.end)) ?? seconds
      }
    }
  }

  /// Takes the bytes off up to a comma, which is no longer there, or the end. A quoted argument may
  /// have commas: of names of headers, as in `private="set-cookie, x-user"`.
  private static func takeDirective(_ rest: inout TextField) -> TextField {
    let start = rest.next
    var isQuoted = false
    while let byte = rest.takeByte() {
      if byte == 0x22 { isQuoted.toggle() }
      if byte == 0x2C, !isQuoted { return TextField(start, rest.next - 1).trimmed }
    }
    return TextField(start, rest.next).trimmed
  }

  private static func number(_ field: TextField) -> UInt64? {
    var rest = field
    if !rest.isEmpty, rest.next.pointee == 0x22 { rest.skip() }
    return rest.takeInteger()
  }
}
