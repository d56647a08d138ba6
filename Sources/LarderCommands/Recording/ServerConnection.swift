import ArgumentParser
import Foundation
import LarderSupport

/// A TCP connection whose waits end: at a deadline, or when the command is interrupted.
final class ServerConnection {
  /// How the server is called in messages.
  let name: String
  private let socket: Int32
  private let cancellation: Cancellation
  private var received = ReceivedLines()

  /// Seconds after which a server that does not answer is given up.
  private static let patience: Double = 10
  /// Milliseconds between two looks at the flag.
  private static let slice: Int32 = 100

  /// What waiting came to.
  enum Arrival {
    /// Bytes.
    case bytes(Int)
    /// The time is over, or the command was interrupted.
    case stopped
    /// The connection is closed, for this reason.
    case closed(String)
  }

  /// Connects to the first address of a host that accepts.
  ///
  /// - Throws: `unknownHost` or `noConnection`.
  init(
    _ address: ServerAddress, port usual: UInt16, _ cancellation: Cancellation
  ) throws(ServerError) {
    name = address.text(usual)
    self.cancellation = cancellation
    var hints = addrinfo()
    #if canImport(Glibc)
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #else
      hints.ai_socktype = SOCK_STREAM
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(address.host, "\(address.port ?? usual)", &hints, &list)
    guard status == 0 else {
      throw .unknownHost(name, reason: String(cString: gai_strerror(status)))
    }
    defer { freeaddrinfo(list) }
    var reason = "no address"
    var next = list
    while let candidate = next {
      switch Self.connect(candidate.pointee, cancellation) {
      case .success(let connected):
        socket = connected
        return
      case .failure(let failure): reason = failure.reason
      }
      next = candidate.pointee.ai_next
    }
    throw .noConnection(name, reason: reason)
  }

  deinit { close(socket) }

  private struct NotConnected: Error {
    var reason: String
    init(_ number: Int32) { reason = String(cString: strerror(number)) }
  }

  private static func connect(
    _ address: addrinfo, _ cancellation: Cancellation
  ) -> Result<Int32, NotConnected> {
    let descriptor = Foundation.socket(
      address.ai_family, address.ai_socktype, address.ai_protocol)
    guard descriptor >= 0 else { return .failure(NotConnected(errno)) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    if Foundation.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 {
      return .success(descriptor)
    }
    var number = errno
    if number == EINPROGRESS {
      number = ETIMEDOUT
      let end = ContinuousClock.now + .seconds(patience)
      while ContinuousClock.now < end, !cancellation.isRequested {
        guard wait(descriptor, for: Int16(POLLOUT)) else { continue }
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &length)
        break
      }
    }
    if number == 0 { return .success(descriptor) }
    close(descriptor)
    return .failure(NotConnected(number))
  }

  /// Whether a socket is ready, after a tenth of a second at most.
  private static func wait(_ descriptor: Int32, for event: Int16) -> Bool {
    var waiting = pollfd(fd: descriptor, events: event, revents: 0)
    return poll(&waiting, 1, slice) > 0
  }

  /// Sends a text.
  ///
  /// - Throws: `noConnection`.
  func send(_ text: String) throws(ServerError) {
    var rest = Array(text.utf8)[...]
    let end = ContinuousClock.now + .seconds(Self.patience)
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(socket, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN || errno == EINTR, ContinuousClock.now < end {
        _ = Self.wait(socket, for: Int16(POLLOUT))
      } else {
        throw .noConnection(name, reason: String(cString: strerror(errno)))
      }
    }
  }

  /// The next line, without its end.
  ///
  /// - Throws: `silent` or `noConnection`.
  func line() throws(ServerError) -> String {
    let end = ContinuousClock.now + .seconds(Self.patience)
    while true {
      if let line = received.takeLine() { return line }
      switch receive(until: end) {
      case .bytes:
        if received.count > ReceivedLines.beginningMax {
          throw .unexpected(name, answer: "more than \(ReceivedLines.beginningMax) bytes")
        }
      case .stopped: throw .silent(name)
      case .closed(let reason): throw .noConnection(name, reason: reason)
      }
    }
  }

  /// Waits for bytes, which `takeLines` hands out.
  func receive(until end: ContinuousClock.Instant?) -> Arrival {
    var space = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      if cancellation.isRequested { return .stopped }
      if let end, ContinuousClock.now >= end { return .stopped }
      guard Self.wait(socket, for: Int16(POLLIN)) else { continue }
      let count = read(socket, &space, space.count)
      if count > 0 {
        received.add(space[..<count])
        return .bytes(count)
      }
      if count == 0 { return .closed("the server closed it") }
      if errno != EAGAIN, errno != EINTR { return .closed(String(cString: strerror(errno))) }
    }
  }

  /// Puts lines that have come into `space`: see `ReceivedLines.take`.
  func takeLines(into space: UnsafeMutableRawBufferPointer) -> Int { received.take(into: space) }
}

/// Bytes that a server has sent and nobody has taken: whole lines, and the beginning of the next,
/// of which at most `beginningMax` bytes are kept. Each byte is looked at once.
struct ReceivedLines {
  private var bytes: [UInt8] = []
  /// Where the bytes that were not taken begin.
  private var start = 0
  /// Where the last whole line ends.
  private var end = 0

  /// Bytes of a line without an end that are kept: beyond them it is no line of a trace.
  static let beginningMax = 1 << 20

  /// Bytes that were not taken.
  var count: Int { bytes.count - start }

  /// Adds bytes that have come.
  mutating func add(_ more: ArraySlice<UInt8>) {
    if let newline = more.lastIndex(of: 0x0A) {
      end = bytes.count + (newline - more.startIndex) + 1
    }
    bytes += more
  }

  /// Puts whole lines into `space`, as many bytes as fit, and what there is of a line that is too
  /// long; returns how many bytes, which is 0 where more must come first.
  mutating func take(into space: UnsafeMutableRawBufferPointer) -> Int {
    let isTooLong = bytes.count - end > Self.beginningMax
    let count = min(space.count, (isTooLong ? bytes.count : end) - start)
    guard count > 0 else { return 0 }
    bytes.withUnsafeBytes { bytes in
      space.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
    }
    drop(count)
    return count
  }

  /// The first line without its end, cut to 200 bytes; nil where none is whole.
  mutating func takeLine() -> String? {
    guard end > start, let newline = bytes[start..<end].firstIndex(of: 0x0A) else { return nil }
    var line = bytes[start..<newline]
    if line.last == 0x0D { line.removeLast() }
    let text = String(decoding: line.prefix(200), as: UTF8.self)
    drop(newline + 1 - start)
    return text
  }

  private mutating func drop(_ count: Int) {
    start += count
    end = max(end, start)
    guard start == bytes.count || start >= Self.beginningMax else { return }
    bytes.removeFirst(start)
    end -= start
    start = 0
  }
}

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

/// What can go wrong with a server that is recorded. Exit code 1: the command was right.
enum ServerError: Error, CustomStringConvertible {
  /// The name stands for no address.
  case unknownHost(String, reason: String)
  /// No connection.
  case noConnection(String, reason: String)
  /// It wants a password.
  case needsPassword(String)
  /// It wants another password.
  case refused(String, answer: String)
  /// It answered something else than it should.
  case unexpected(String, answer: String)
  /// It did not answer.
  case silent(String)
  /// The connection broke; what was written stays.
  case lost(String, reason: String, requests: Int, file: String)

  /// One line for a person.
  var description: String {
    switch self {
    case .unknownHost(let server, let reason): "\(server): unknown host: \(reason)"
    case .noConnection(let server, let reason): "\(server): cannot connect: \(reason)"
    case .needsPassword(let server):
      "\(server): the server asks for a password; give it with --password-file or in "
        + "LARDER_PASSWORD"
    case .refused(let server, let answer): "\(server): the server refused the password: \(answer)"
    case .unexpected(let server, let answer):
      "\(server): unexpected answer '\(answer)'; is this the right kind of server?"
    case .silent(let server): "\(server): no answer for 10 s"
    case .lost(let server, let reason, let requests, let file):
      "\(server): connection lost: \(reason); \(requests) requests are in \(file)"
    }
  }
}
