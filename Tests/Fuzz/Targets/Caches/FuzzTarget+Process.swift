import Foundation
import LarderHarness

extension FuzzTarget {
  /// Arbitrary answers of a cache process. The value of a get has the length that the answer
  /// states.
  static let processReplies = FuzzTarget("process-replies", lengthMax: 2048) { input in
    var ends: [Int32] = [-1, -1]
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    guard socketpair(AF_UNIX, stream, 0, &ends) == 0 else { throw FuzzFinding("no sockets") }
    defer { close(ends[1]) }
    let connection = ProcessConnection(ends[0], of: SilentPeer())
    let sent = input.withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
    try require(sent == input.count, "the answers do not fit")
    shutdown(ends[1], Int32(SHUT_WR))
    var key: UInt64 = 1
    _ = try accepted(or: ProcessCacheError.self) {
      _ = try connection.greet()
      while true {
        if let value = try connection.get(key) {
          try require(value.count <= input.count, "a value out of nothing")
        }
        try connection.set(Data([1, 2, 3]), for: key, seconds: 0)
        try connection.remove(key)
        key += 1
      }
    }
  }
}

/// A process that no longer answers.
private struct SilentPeer: ProcessPeer {
  var name: String { "fuzz" }
  var timeoutSeconds: UInt32 { 1 }
  func ended() -> ProcessCacheError { .ended(program: name, status: nil, said: "") }
  func silent(_ what: String) -> ProcessCacheError {
    .silent(program: name, what: what, seconds: timeoutSeconds, said: "")
  }
}
