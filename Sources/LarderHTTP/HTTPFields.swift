import Larder

/// Header fields of a message, in order. Names ignore case and may be repeated.
struct HTTPFields: Sendable, Hashable {
  struct Line: Sendable, Hashable {
    let name: String
    let value: String
    let key: String
  }

  private(set) var lines: [Line] = []

  init() {}

  init(_ pairs: some Sequence<(String, String)>) {
    for (name, value) in pairs { append(name, value) }
  }

  /// Values of all lines with a name, combined as RFC 9110 (5.2) does; nil if there is none.
  subscript(name: String) -> String? {
    let values = values(of: name)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  func values(of name: String) -> [String] {
    let key = name.asciiLowercased
    return lines.filter { $0.key == key }.map(\.value)
  }

  /// The combined values of every name, spelled as in its first line.
  var combined: [String: String] {
    Dictionary(grouping: lines, by: \.key).values.reduce(into: [:]) { fields, lines in
      fields[lines[0].name] = lines.map(\.value).joined(separator: ", ")
    }
  }

  func contains(_ name: String) -> Bool {
    let key = name.asciiLowercased
    return lines.contains { $0.key == key }
  }

  func tokens(of name: String) -> [String] {
    values(of: name).flatMap { $0.split(separator: ",") }.map { String($0).asciiTrimmed }
      .filter { !$0.isEmpty }
  }

  mutating func append(_ name: String, _ value: String) {
    lines.append(Line(name: name, value: value.asciiTrimmed, key: name.asciiLowercased))
  }

  mutating func set(_ name: String, _ value: String?) {
    remove(name)
    if let value { append(name, value) }
  }

  mutating func remove(_ name: String) { remove([name]) }

  mutating func remove(_ names: [String]) {
    if names.isEmpty { return }
    let keys = Set(names.map(\.asciiLowercased))
    lines.removeAll { keys.contains($0.key) }
  }

  mutating func update(from other: HTTPFields, except: [String]) {
    var new = other
    new.remove(except)
    remove(new.lines.map(\.key))
    lines += new.lines
  }

  /// Fields that belong to a connection, and are not stored (RFC 9111, 3.1).
  private static let connectionFields = [
    "Connection", "Keep-Alive", "Proxy-Connection", "TE", "Transfer-Encoding", "Upgrade",
    "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
  ]

  var storable: HTTPFields {
    var copy = self
    copy.remove(tokens(of: "Connection") + Self.connectionFields)
    return copy
  }
}

extension CacheControl {
  /// Parses the directives of a message. Without `Cache-Control`, `Pragma: no-cache` in a request
  /// counts as `no-cache`.
  init(_ fields: HTTPFields, isRequest: Bool = false) {
    let header = fields["Cache-Control"]
    let pragma = isRequest && header == nil ? fields.tokens(of: "Pragma") : []
    self.init(header, isNoCache: pragma.contains { $0.equalsIgnoringCase("no-cache") })
  }
}
