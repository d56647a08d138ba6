import Foundation
import LarderSupport

/// A connection to a cache's process, with buffers for output and for input that is not parsed yet.
package final class ProcessConnection: @unchecked Sendable {
  // Used by one thread at a time: its current owner.
  private let descriptor: Int32
  let peer: any ProcessPeer
  private var sending: [UInt8] = []
  private var received = [UInt8](repeating: 0, count: ProcessConnection.roomLeast)
  /// The part of `received` that is not parsed yet.
  private var unread = 0..<0

  private var told: UInt64 = 0

  /// The initial size of the input buffer in bytes.
  static var roomLeast: Int { 64 << 10 }
  /// The size of the input buffer in bytes.
  var room: Int { received.count }

  /// The longest line of an answer in bytes.
  private static var longestLine: Int { 2048 }

  package init(_ descriptor: Int32, of peer: some ProcessPeer) {
    self.descriptor = descriptor
    self.peer = peer
    LocalSocket.limit(descriptor, seconds: peer.timeoutSeconds)
  }

  deinit { close(descriptor) }

  /// Appends text to the output.
  func add(_ text: String) { sending += text.utf8 }

  /// Appends bytes to the output.
  func add(_ bytes: Data) { sending += bytes }

  /// Appends the trace's time in microseconds, if it has advanced.
  func tell(_ now: UInt64) {
    guard now > told else { return }
    told = now
    add("time \(now)\r\n")
  }

  /// Sends the output.
  func send() throws(ProcessCacheError) {
    var sent = 0
    while sent < sending.count {
      let count = sending.withUnsafeBytes {
        LocalSocket.send(descriptor, UnsafeRawBufferPointer(rebasing: $0[sent...]))
      }
      if count > 0 {
        sent += count
      } else if errno != EINTR {
        throw errno == EAGAIN || errno == EWOULDBLOCK
          ? peer.silent("read a request") : peer.ended()
      }
    }
    sending.removeAll(keepingCapacity: true)
  }

  /// Reads the next line, without its end.
  func line() throws(ProcessCacheError) -> Substring {
    var looked = 0
    while true {
      let rest = received[unread.lowerBound + looked..<unread.upperBound]
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        var text = received[unread.lowerBound..<end]
        if text.last == UInt8(ascii: "\r") { text.removeLast() }
        unread = end + 1..<unread.upperBound
        return Substring(decoding: text, as: UTF8.self)
      }
      guard unread.count <= Self.longestLine else {
        let start = String(decoding: received[unread].prefix(60), as: UTF8.self)
        throw peer.answered("\(start)...", to: "a request")
      }
      looked = unread.count
      try receive(room: Self.longestLine)
    }
  }

  /// Reads `count` bytes and the line end after them.
  func block(_ count: Int) throws(ProcessCacheError) -> Data {
    // Grows with the bytes received and not with the announced length, which may be 4 GiB.
    while unread.count < count + 2 {
      try receive(room: min(count + 2, max(Self.roomLeast, 2 * unread.count)))
    }
    let end = unread.lowerBound + count
    guard received[end] == UInt8(ascii: "\r"), received[end + 1] == UInt8(ascii: "\n") else {
      throw peer.answered("a value that is not followed by a line end", to: "get")
    }
    defer { unread = end + 2..<unread.upperBound }
    return Data(received[unread.lowerBound..<end])
  }

  /// Receives more bytes into a buffer of at least `room` bytes.
  private func receive(room: Int) throws(ProcessCacheError) {
    if unread.isEmpty {
      unread = 0..<0
    } else if unread.lowerBound + room > received.count || unread.upperBound == received.count {
      received.replaceSubrange(0..<unread.count, with: Array(received[unread]))
      unread = 0..<unread.count
    }
    if received.count < room || unread.upperBound == received.count {
      let more = max(room, 2 * received.count) - received.count
      received.append(contentsOf: repeatElement(0, count: more))
    }
    let (old, space) = (unread.upperBound, received.count - unread.upperBound)
    var count: Int
    repeat {
      count = received.withUnsafeMutableBytes {
        recv(descriptor, $0.baseAddress.map { $0 + old }, space, 0)
      }
    } while count < 0 && errno == EINTR
    guard count > 0 else {
      throw count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
        ? peer.silent("answer") : peer.ended()
    }
    unread = unread.lowerBound..<old + count
  }
}

/// The other end of a connection, for error messages.
package protocol ProcessPeer: Sendable {
  var name: String { get }
  var timeoutSeconds: UInt32 { get }

  /// The error after the connection has ended.
  func ended() -> ProcessCacheError
  func silent(_ what: String) -> ProcessCacheError
}

extension ProcessPeer {
  /// The error of an unexpected answer.
  func answered(_ answer: some StringProtocol, to request: String) -> ProcessCacheError {
    .answer(program: name, request: request, answer: String(answer.prefix(100)))
  }
}

/// Sockets between two processes of one machine.
enum LocalSocket {
  /// The longest path in a socket's address in bytes.
  static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  #if canImport(Glibc)
    private static let stream = Int32(SOCK_STREAM.rawValue)
  #else
    private static let stream = SOCK_STREAM
  #endif

  #if canImport(Darwin)
    private static let noSignal: Int32 = 0
  #else
    private static let noSignal = Int32(MSG_NOSIGNAL)
  #endif

  /// Two connected sockets, not inherited by child processes.
  static func pair() throws(ProcessCacheError) -> (ours: Int32, theirs: Int32) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, stream, 0, &ends) == 0 else { throw failure("cannot make a pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Connects to a socket's path; nil while no process listens there.
  static func connected(to path: String) throws(ProcessCacheError) -> Int32? {
    let descriptor = socket(AF_UNIX, stream, 0)
    guard descriptor >= 0 else { throw failure("cannot make a socket") }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { room in
      room.copyBytes(from: path.utf8.prefix(longestPath))
    }
    let status = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    if status == 0 { return descriptor }
    let number = errno
    close(descriptor)
    // The socket does not exist or is not listening yet.
    if number == ENOENT || number == ECONNREFUSED || number == EAGAIN { return nil }
    throw .system(what: path, reason: String(cString: strerror(number)))
  }

  /// Sets the timeout of sends and receives on a socket.
  static func limit(_ descriptor: Int32, seconds: UInt32) {
    var time = timeval(tv_sec: Int(seconds), tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }
    #if canImport(Darwin)
      var isOn: Int32 = 1
      setsockopt(
        descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  /// Sends bytes without raising a signal if the other end is closed; returns the number sent, or
  /// -1.
  static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    Foundation.send(descriptor, bytes.baseAddress, bytes.count, noSignal)
  }

  private static func failure(_ what: String) -> ProcessCacheError {
    .system(what: what, reason: String(cString: strerror(errno)))
  }
}

/// An error of a cache in a separate process.
package enum ProcessCacheError: Error, Hashable, CustomStringConvertible {
  /// The configuration names no command.
  case noCommand
  /// The program could not be started.
  case launch(program: String, reason: String)
  /// The program ended; `status` is nil if the system does not report it, and `said` is the last
  /// line of its standard error.
  case ended(program: String, status: String?, said: String)
  case silent(program: String, what: String, seconds: UInt32, said: String)
  case answer(program: String, request: String, answer: String)
  case system(what: String, reason: String)

  package var description: String { TextSafety.singleLine(text) }

  private var text: String {
    switch self {
    case .noCommand:
      return "the configuration has no command; name the program: cache: {process: [./my-cache]}"
    case .launch(let program, let reason):
      return "cannot start '\(program)': \(reason)"
    case .ended(let program, let status, let said):
      return "'\(program)' ended" + (status.map { " \($0)" } ?? "") + Self.told(said)
    case .silent(let program, let what, let seconds, let said):
      return "'\(program)' did not \(what) within \(seconds) s; 'timeout' in the workload file "
        + "sets the time" + Self.told(said)
    case .answer(let program, let request, let answer):
      return
        "'\(program)' answered '\(answer)' to '\(request)', which is not part of the protocol"
    case .system(let what, let reason):
      return "\(what): \(reason)"
    }
  }

  private static func told(_ said: String) -> String {
    said.isEmpty ? "" : "; its last line on standard error: \(said)"
  }
}

/// Requests of memcached's text protocol and their answers, one at a time.
extension ProcessConnection {
  /// Greets the process.
  ///
  /// - Returns: The answer to `version`.
  package func greet() throws(ProcessCacheError) -> String {
    add("version\r\n")
    try send()
    let version = try line()
    guard version.hasPrefix("VERSION ") else { throw peer.answered(version, to: "version") }
    return String(version)
  }

  /// Returns the value of a key; nil for a miss.
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

  /// Stores a value with a TTL in seconds; 0 for none.
  package func set(
    _ value: Data, for key: UInt64, seconds: UInt64
  ) throws(ProcessCacheError) {
    add("set \(key) 0 \(seconds) \(value.count)\r\n")
    add(value)
    add("\r\n")
    try send()
    let line = try line()
    // An object that is too large, or that admission rejects, is not stored.
    let isFine =
      line == "STORED" || line == "NOT_STORED"
      || line.hasPrefix("SERVER_ERROR object too large")
      || line.hasPrefix("SERVER_ERROR out of memory")
    guard isFine else {
      throw peer.answered(line, to: "set \(key) of \(value.count) bytes")
    }
  }

  package func remove(_ key: UInt64) throws(ProcessCacheError) {
    add("delete \(key)\r\n")
    try send()
    let line = try line()
    guard line == "DELETED" || line == "NOT_FOUND" else {
      throw peer.answered(line, to: "delete \(key)")
    }
  }
}
