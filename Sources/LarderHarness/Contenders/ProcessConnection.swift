import Foundation
import LarderSupport

package final class ProcessConnection: @unchecked Sendable {
  let descriptor: Int32
  let peer: any ProcessPeer
  private var sending: [UInt8] = []
  private var received: [UInt8] = []
  private var parsed = 0
  private var told: UInt64 = 0

  private static var longestLine: Int { 2048 }
  private static var chunk: Int { 64 << 10 }

  /// The size of the input buffer in bytes.
  var room: Int { received.capacity }

  package init(_ descriptor: Int32, of peer: some ProcessPeer) {
    self.descriptor = descriptor
    self.peer = peer
    LocalSocket.limit(descriptor, seconds: peer.timeoutSeconds)
  }

  deinit { close(descriptor) }

  func tell(_ now: UInt64) {
    guard now > told else { return }
    told = now
    sending += "time \(now)\r\n".utf8
  }

  func ask(_ request: String, _ value: Data? = nil) throws(ProcessCacheError) -> Substring {
    sending += "\(request)\r\n".utf8
    if let value {
      sending += value
      sending += "\r\n".utf8
    }
    try send()
    return try line()
  }

  /// Sends a message of HTTP, whose head ends with an empty line.
  func send(head: String, body: Data = Data()) throws(ProcessCacheError) {
    sending += "\(head)\r\n\r\n".utf8
    sending += body
    try send()
  }

  private func send() throws(ProcessCacheError) {
    var sent = 0
    while sent < sending.count {
      let count = sending.withUnsafeBytes {
        LocalSocket.send(descriptor, UnsafeRawBufferPointer(rebasing: $0[sent...]))
      }
      guard count > 0 || errno == EINTR else { throw failure("read a request") }
      sent += max(0, count)
    }
    sending.removeAll(keepingCapacity: true)
  }

  func line() throws(ProcessCacheError) -> Substring {
    var looked = 0
    while true {
      if let end = received[(parsed + looked)...].firstIndex(of: UInt8(ascii: "\n")) {
        var text = received[parsed..<end]
        if text.last == UInt8(ascii: "\r") { text.removeLast() }
        parsed = end + 1
        return Substring(decoding: text, as: UTF8.self)
      }
      looked = received.count - parsed
      guard looked <= Self.longestLine else {
        let start = String(decoding: received[parsed...].prefix(60), as: UTF8.self)
        throw peer.answered("\(start)...", to: "a request")
      }
      try receive()
    }
  }

  func body(_ count: Int) throws(ProcessCacheError) -> Data {
    // Grows with the bytes received and not with the announced length, which may be 4 GiB.
    while received.count - parsed < count { try receive() }
    defer { parsed += count }
    return Data(received[parsed..<(parsed + count)])
  }

  func block(_ count: Int) throws(ProcessCacheError) -> Data {
    while received.count - parsed < count + 2 { try receive() }
    let end = parsed + count
    guard received[end] == UInt8(ascii: "\r"), received[end + 1] == UInt8(ascii: "\n") else {
      throw peer.answered("a value that is not followed by a line end", to: "get")
    }
    defer { parsed = end + 2 }
    return Data(received[parsed..<end])
  }

  private func receive() throws(ProcessCacheError) {
    received.removeFirst(parsed)
    parsed = 0
    let count = withUnsafeTemporaryAllocation(byteCount: Self.chunk, alignment: 1) { chunk in
      var count: Int
      repeat {
        count = recv(descriptor, chunk.baseAddress, chunk.count, 0)
      } while count < 0 && errno == EINTR
      received += UnsafeRawBufferPointer(rebasing: chunk[..<max(0, count)])
      return count
    }
    guard count > 0 else { throw count < 0 ? failure("answer") : peer.ended() }
  }

  private func failure(_ what: String) -> ProcessCacheError {
    errno == EAGAIN || errno == EWOULDBLOCK ? peer.silent(what) : peer.ended()
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
  func answered(_ answer: some StringProtocol, to request: String) -> ProcessCacheError {
    .answer(program: name, request: request, answer: String(answer.prefix(100)))
  }
}

enum LocalSocket {
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

  static func pair() throws(ProcessCacheError) -> (ours: Int32, theirs: Int32) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, stream, 0, &ends) == 0 else { throw failure("cannot make a pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Connects to a socket's path, or to a host and port; nil while no process listens there.
  static func connected(to place: String) throws(ProcessCacheError) -> Int32? {
    try opened(place) { connect($0, $1, $2) }
  }

  /// Listens on the path of a new socket, or on a host and port.
  static func listening(on place: String) throws(ProcessCacheError) -> Int32 {
    let descriptor = try opened(place) { descriptor, address, length in
      var isOn: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
      return bind(descriptor, address, length) == 0 ? listen(descriptor, 64) : -1
    }
    guard let descriptor else { throw .system(what: place, reason: "no such folder") }
    return descriptor
  }

  private typealias Opening = (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32

  private static func opened(
    _ place: String, _ open: Opening
  ) throws(ProcessCacheError) -> Int32? {
    if !place.contains("/"), let colon = place.lastIndex(of: ":") {
      return try opened(String(place[..<colon]), String(place[colon...].dropFirst()), open)
    }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { room in
      room.copyBytes(from: place.utf8.prefix(longestPath))
    }
    let (descriptor, number) = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        opened(AF_UNIX, $0, socklen_t(MemoryLayout<sockaddr_un>.size), open)
      }
    }
    if let descriptor { return descriptor }
    return try missing(place, number)
  }

  private static func opened(
    _ host: String, _ port: String, _ open: Opening
  ) throws(ProcessCacheError) -> Int32? {
    var hints = addrinfo()
    hints.ai_socktype = stream
    var found: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(host, port, &hints, &found)
    guard status == 0 else {
      throw .system(what: "\(host):\(port)", reason: String(cString: gai_strerror(status)))
    }
    defer { freeaddrinfo(found) }
    var last: Int32 = 0
    for address in sequence(first: found, next: { $0?.pointee.ai_next }) {
      guard let address = address?.pointee, let place = address.ai_addr else { break }
      let (descriptor, number) = opened(address.ai_family, place, address.ai_addrlen, open)
      if let descriptor {
        var isOn: Int32 = 1
        setsockopt(
          descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
      }
      last = number
    }
    return try missing("\(host):\(port)", last)
  }

  private static func opened(
    _ family: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t, _ open: Opening
  ) -> (Int32?, errno: Int32) {
    let descriptor = socket(family, stream, 0)
    guard descriptor >= 0 else { return (nil, errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    if open(descriptor, address, length) == 0 { return (descriptor, 0) }
    let number = errno
    close(descriptor)
    return (nil, number)
  }

  /// Nil if the socket does not exist or is not listening yet.
  private static func missing(
    _ place: String, _ number: Int32
  ) throws(ProcessCacheError) -> Int32? {
    if number == ENOENT || number == ECONNREFUSED || number == EAGAIN { return nil }
    throw .system(what: place, reason: String(cString: strerror(number)))
  }

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
  case noCommand
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
  package func greet() throws(ProcessCacheError) -> String {
    let version = try ask("version")
    guard version.hasPrefix("VERSION ") else { throw peer.answered(version, to: "version") }
    return String(version)
  }

  package func get(_ key: some CustomStringConvertible) throws(ProcessCacheError) -> Data? {
    let line = try ask("get \(key)")
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

  @discardableResult package func set(
    _ value: Data, for key: some CustomStringConvertible, seconds: UInt64
  ) throws(ProcessCacheError) -> Bool {
    let line = try ask("set \(key) 0 \(seconds) \(value.count)", value)
    // An object that is too large, or that admission rejects, is not stored.
    let isFine =
      line == "STORED" || line == "NOT_STORED"
      || line.hasPrefix("SERVER_ERROR object too large")
      || line.hasPrefix("SERVER_ERROR out of memory")
    guard isFine else { throw peer.answered(line, to: "set \(key) of \(value.count) bytes") }
    return line == "STORED"
  }

  package func remove(_ key: some CustomStringConvertible) throws(ProcessCacheError) {
    let line = try ask("delete \(key)")
    guard line == "DELETED" || line == "NOT_FOUND" else {
      throw peer.answered(line, to: "delete \(key)")
    }
  }
}
