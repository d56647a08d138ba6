/// Names of servers and addresses of clients, as web logs write them.
extension TextField {
  /// The bytes without a double quote at either end.
  var unquoted: TextField {
    var (start, end) = (next, end)
    if start < end, start.pointee == 0x22 { start += 1 }
    if start < end, end[-1] == 0x22 { end -= 1 }
    return TextField(start, end)
  }

  /// True for `-`, an empty field and `unknown`, which proxies write for a client they cannot name.
  var isNoClient: Bool { isNothing || equals(anyCase: "unknown") }

  /// True for an address of IPv4 or IPv6, with a port, a zone or brackets or without them.
  var isAddress: Bool { isIPv4 || isIPv6 }

  private var isIPv4: Bool {
    var rest = self
    for part in 0..<4 {
      let start = rest.next
      guard rest.takeInteger() != nil, rest.next - start <= 3 else { return false }
      if part < 3 { guard rest.takeByte() == 0x2E else { return false } }
    }
    return rest.isPort
  }

  private var isIPv6: Bool {
    var inner = self
    if !isEmpty, next.pointee == 0x5B {
      guard let close = find(0x5D), TextField(close + 1, end).isPort else { return false }
      inner = TextField(next + 1, close)
    }
    if let zone = inner.find(0x25) { inner = TextField(inner.next, zone) }
    var colons = 0
    while let byte = inner.takeByte() {
      let isDigit = byte &- 0x30 <= 9 || (byte | 0x20) &- 0x61 < 6
      guard isDigit || byte == 0x3A || byte == 0x2E else { return false }
      if byte == 0x3A { colons += 1 }
    }
    return colons >= 2
  }

  /// True for nothing, or a colon and digits.
  private var isPort: Bool {
    var rest = self
    if rest.isEmpty { return true }
    return rest.takeByte() == 0x3A && rest.takeInteger() != nil && rest.isEmpty
  }

  /// True for what can be the name of a server, with a port or without: letters, digits, dots,
  /// dashes and underscores, one of them no digit, and no address.
  var isHostName: Bool {
    var rest = self
    var hasLetter = false
    while !rest.isEmpty, rest.next.pointee != 0x3A {
      let byte = rest.next.pointee
      let isLetter = (byte | 0x20) &- 0x61 < 26 || byte == 0x5F || byte >= 0x80
      guard isLetter || byte &- 0x30 <= 9 || byte == 0x2E || byte == 0x2D else { return false }
      hasLetter = hasLetter || isLetter
      rest.skip()
    }
    return hasLetter && rest.isPort && !isNoClient
  }

  /// True for the name of a server that has a domain, or is `localhost`.
  var isFullHostName: Bool {
    isHostName && (find(0x2E) != nil || starts(with: TextField.localhost))
  }

  private static let localhost = Array("localhost".utf8)
}
