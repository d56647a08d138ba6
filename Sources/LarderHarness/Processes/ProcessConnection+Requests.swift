import Foundation

/// The requests of memcached's text protocol and what may be answered: one at a time.
extension ProcessConnection {
  /// Greets the process.
  ///
  /// - Returns: what it answers to `version`.
  /// - Throws: `ProcessCacheError`.
  package func greet() throws(ProcessCacheError) -> String {
    add("version\r\n")
    try send()
    let version = try line()
    guard version.hasPrefix("VERSION ") else { throw peer.answered(version, to: "version") }
    return String(version)
  }

  /// The value of a key; nil where it has none.
  ///
  /// - Throws: `ProcessCacheError`.
  package func get(_ key: UInt64) throws(ProcessCacheError) -> Data? {
    add("get \(key)\r\n")
    try send()
    let line = try line()
    if line == "END" { return nil }
    // VALUE key flags bytes
    let words = line.split(separator: " ")
    guard words.count >= 4, words[0] == "VALUE", words[1] == "\(key)",
      let count = Int(words[3]), (0...Int(UInt32.max)).contains(count)
    else { throw peer.answered(line, to: "get \(key)") }
    let value = try block(count)
    let end = try self.line()
    guard end == "END" else { throw peer.answered(end, to: "get \(key)") }
    return value
  }

  /// Stores a value, for a number of seconds or, with 0, without end.
  ///
  /// - Throws: `ProcessCacheError`.
  package func set(
    _ value: Data, for key: UInt64, seconds: UInt64
  ) throws(ProcessCacheError) {
    add("set \(key) 0 \(seconds) \(value.count)\r\n")
    add(value)
    add("\r\n")
    try send()
    let line = try line()
    // An object that is too large is a miss and is not stored; so is one that admission refuses.
    let isFine =
      line == "STORED" || line == "NOT_STORED"
      || line.hasPrefix("SERVER_ERROR object too large")
      || line.hasPrefix("SERVER_ERROR out of memory")
    guard isFine else {
      throw peer.answered(line, to: "set \(key) of \(value.count) bytes")
    }
  }

  /// Removes a key.
  ///
  /// - Throws: `ProcessCacheError`.
  package func remove(_ key: UInt64) throws(ProcessCacheError) {
    add("delete \(key)\r\n")
    try send()
    let line = try line()
    guard line == "DELETED" || line == "NOT_FOUND" else {
      throw peer.answered(line, to: "delete \(key)")
    }
  }
}
