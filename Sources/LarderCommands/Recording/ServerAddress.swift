import ArgumentParser

/// A server as users write it: `HOST:PORT`, `HOST`, or `[::1]:PORT`.
struct ServerAddress: ExpressibleByArgument, Sendable, Equatable {
  /// Name or address.
  let host: String
  /// Nil for the usual one.
  let port: UInt16?

  /// The address in a text; nil where it is none.
  init?(argument: String) {
    var host = argument[...]
    var port: Substring?
    if argument.hasPrefix("[") {
      guard let end = argument.firstIndex(of: "]") else { return nil }
      host = argument[argument.index(after: argument.startIndex)..<end]
      let rest = argument[argument.index(after: end)...]
      if !rest.isEmpty {
        guard rest.hasPrefix(":") else { return nil }
        port = rest.dropFirst()
      }
    } else if let colon = argument.lastIndex(of: ":") {
      host = argument[..<colon]
      port = argument[argument.index(after: colon)...]
      // An address of version 6 goes into brackets, so that its end is clear.
      if host.contains(":") { return nil }
    }
    guard !host.isEmpty, !host.contains(where: \.isWhitespace) else { return nil }
    self.host = String(host)
    guard let port else {
      self.port = nil
      return
    }
    guard let number = UInt16(port), number > 0, port.allSatisfy(\.isNumber) else { return nil }
    self.port = number
  }

  /// The address with a port.
  func text(_ usual: UInt16) -> String {
    "\(host.contains(":") ? "[\(host)]" : host):\(port ?? usual)"
  }
}
