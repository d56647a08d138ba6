/// The fields before the time of a line in the common log format, by what they hold.
struct CombinedHead {
  /// What the fields are together.
  enum Shape {
    /// Client, ident and user. The name of a user may hold blanks.
    case plain
    /// A name of a server in front of an address.
    case host
    /// A name in front, and no address behind it.
    case name
    /// Several addresses in front: what X-Forwarded-For says, before the client or in its place.
    case clients
  }

  /// What the fields are together.
  private(set) var shape = Shape.plain
  /// The first field.
  let first: TextField
  /// The field that is ident in the common log format.
  let second: TextField
  /// The last field.
  private(set) var last: TextField
  /// How many fields there are.
  private(set) var count = 0

  /// The fields of a head without a logger's prefix.
  init(_ head: TextField) {
    var rest = head
    var third = TextField(head.end, head.end)
    (first, second) = (rest.takeField().unquoted, rest.takeField().unquoted)
    last = second
    count = (first.isEmpty ? 0 : 1) + (second.isEmpty ? 0 : 1)
    while true {
      let field = rest.takeField()
      if field.isEmpty { break }
      if count == 2 { third = field.unquoted }
      last = field.unquoted
      count += 1
    }
    guard count > 3 || CombinedHead.isList(first) else { return }
    let isBeforeClient = CombinedHead.isClients(second)
    if first.isHostName {
      let isBeforePort = CombinedHead.isNumber(second) && CombinedHead.isClients(third)
      let isHost = isBeforeClient || isBeforePort || second.isFullHostName
      shape = isHost ? .host : .name
    } else if isBeforeClient || CombinedHead.isList(first) {
      shape = .clients
    }
  }

  /// True for an address or a list.
  private static func isClients(_ field: TextField) -> Bool { field.isAddress || isList(field) }

  private static func isList(_ field: TextField) -> Bool { field.find(0x2C) != nil }

  private static func isNumber(_ field: TextField) -> Bool {
    var rest = field
    return rest.takeInteger() != nil && rest.isEmpty
  }
}
