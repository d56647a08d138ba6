import Foundation

/// A server that tells what its clients do, and how it is asked for that.
enum RecordedServer: Sendable {
  /// Redis or Valkey, by MONITOR.
  case redis
  /// memcached, by `watch`.
  case memcached

  /// The port that it has where nobody says otherwise.
  var port: UInt16 { self == .redis ? 6379 : 11211 }

  /// The format of the lines that it writes.
  var format: String { self == .redis ? "redis-monitor" : "memcached-watch" }

  /// User and password.
  struct Login: Sendable {
    var user: String?
    var password: String
  }

  /// Asks a server to tell, from the next line on.
  ///
  /// - Throws: `ServerError`.
  func begin(_ connection: ServerConnection, _ login: Login?) throws(ServerError) {
    switch self {
    case .redis: try beginRedis(connection, login)
    case .memcached: try beginMemcached(connection, login)
    }
  }

  private func beginRedis(_ connection: ServerConnection, _ login: Login?) throws(ServerError) {
    if let login {
      let words = ["AUTH"] + [login.user, login.password].compactMap { $0 }
      let parts = words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
      try connection.send("*\(words.count)\r\n\(parts)")
      let answer = try connection.line()
      guard answer == "+OK" else {
        throw answer.hasPrefix("-")
          ? .refused(connection.name, answer: String(answer.dropFirst()))
          : .unexpected(connection.name, answer: answer)
      }
    }
    try connection.send("MONITOR\r\n")
    let answer = try connection.line()
    if answer.hasPrefix("-NOAUTH") { throw .needsPassword(connection.name) }
    guard answer == "+OK" else { throw .unexpected(connection.name, answer: answer) }
  }

  private func beginMemcached(
    _ connection: ServerConnection, _ login: Login?
  ) throws(ServerError) {
    if let login {
      let text = "\(login.user ?? "") \(login.password)"
      try connection.send("set login 0 0 \(text.utf8.count)\r\n\(text)\r\n")
      let answer = try connection.line()
      guard answer == "STORED" else { throw .refused(connection.name, answer: answer) }
    }
    try connection.send("watch fetchers mutations deletions evictions\r\n")
    var answer = try connection.line()
    if answer == "ERROR" {
      // Before 1.6.19 there are no deletions to watch.
      try connection.send("watch fetchers mutations evictions\r\n")
      answer = try connection.line()
    }
    if answer.hasPrefix("CLIENT_ERROR unauthenticated") { throw .needsPassword(connection.name) }
    guard answer == "OK" else { throw .unexpected(connection.name, answer: answer) }
  }
}
