public import Foundation
import LarderLibc

/// A request as it reached a `LoopbackServer`.
public struct LoopbackRequest: Sendable {
  /// The method.
  public var method: String
  /// Path and query.
  public var target: String
  /// Header fields, in order.
  public var fields: [(name: String, value: String)]
  /// The body.
  public var body: Data

  /// Value of a field, of several the first; nil if there is none.
  public subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// A response of a `LoopbackServer`.
public struct LoopbackReply: Sendable {
  /// Status and reason.
  public var status: (Int, String)
  /// Header fields, in order. `Content-Length` is added unless there is one.
  public var fields: [(name: String, value: String)]
  /// The body; nil for a response that has none.
  public var body: Data?
  /// Responses with a status of 1xx that are sent first.
  public var interim: [(status: Int, fields: [(name: String, value: String)])] = []
  /// True to close the connection without a response.
  public var disconnects = false

  /// Creates a response.
  public init(
    _ status: Int = 200, _ reason: String = "OK", fields: [(name: String, value: String)] = [],
    body: Data? = Data()
  ) {
    self.status = (status, reason)
    self.fields = fields
    self.body = body
  }

  /// Creates a response with a text.
  public init(_ text: String, fields: [(name: String, value: String)] = []) {
    self.init(fields: fields, body: Data(text.utf8))
  }

  fileprivate func bytes(isHead: Bool) -> Data {
    var head = ""
    for (status, fields) in interim {
      head += "HTTP/1.1 \(status) Interim\r\n"
      for (name, value) in fields { head += "\(name): \(value)\r\n" }
      head += "\r\n"
    }
    head += "HTTP/1.1 \(status.0) \(status.1)\r\n"
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    var body = body ?? Data()
    if let length = fields.first(where: { $0.name.lowercased() == "content-length" })?.value {
      body = body.prefix(max(0, Int(length) ?? body.count))
    } else if self.body != nil, status.0 != 204, status.0 != 304 {
      head += "Content-Length: \(body.count)\r\n"
    }
    return Data((head + "\r\n").utf8) + (isHead ? Data() : body)
  }
}

/// An HTTP server on the loopback: one request for each connection, any number at a time.
public final class LoopbackServer: Sendable {
  /// Answers a request. Called on a thread of the server.
  public typealias Handler = @Sendable (LoopbackRequest) -> LoopbackReply

  /// The port, which the system has chosen.
  public let port: UInt16

  private let descriptor: Int32

  /// Starts a server.
  ///
  /// - Throws: `LoopbackError` without a free port.
  public init(_ handler: @escaping Handler) throws {
    let socket = Loopback.stream()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    var address = Loopback.address(0)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) | listen(socket, 128) | getsockname(socket, $0, &length)
      }
    }
    guard socket >= 0, result == 0 else { throw LoopbackError(reason: "no port") }
    descriptor = socket
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread {
      while true {
        let connection = accept(socket, nil, nil)
        // Its limit of time has passed, as when tests wait long for their turn.
        if connection < 0, errno == EAGAIN || errno == EINTR { continue }
        if connection < 0 { return }
        // Handlers may wait, and must not take the threads of a queue from each other.
        Thread.detachNewThread {
          Self.serve(connection, handler)
          close(connection)
        }
      }
    }
  }

  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }

  /// URL of a path on the server.
  public func url(_ path: String) -> URL {
    // A fault of the test, which has to fail.
    guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
      preconditionFailure("\(path) is no path")
    }
    return url
  }

  private static func serve(_ connection: Int32, _ handler: Handler) {
    guard let message = Loopback.receive(connection, isRequest: true) else { return }
    let line = message.firstLine.split(separator: " ").map(String.init)
    guard line.count == 3 else { return }
    let reply = handler(
      LoopbackRequest(
        method: line[0], target: line[1], fields: message.fields, body: message.body))
    if reply.disconnects { return }
    Loopback.send(connection, reply.bytes(isHead: line[0] == "HEAD"))
  }
}

/// A failure of a connection on the loopback.
public struct LoopbackError: Error, Sendable {
  /// The reason.
  public let reason: String
}

/// Sockets and messages of HTTP/1.1.
enum Loopback {
  struct Message {
    var firstLine: String
    var fields: [(name: String, value: String)]
    var body: Data
  }

  static func stream() -> Int32 {
    #if canImport(Glibc)
      let stream = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let stream = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var limit = timeval(tv_sec: 600, tv_usec: 0)
    setsockopt(stream, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    return stream
  }

  static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
  }

  static func send(_ descriptor: Int32, _ data: Data) {
    var rest = [UInt8](data)
    while !rest.isEmpty {
      // A client may hang up before its response. Ignoring the signal would be inherited by the
      // processes of other tests.
      #if canImport(Glibc)
        let count = sendto(descriptor, rest, rest.count, Int32(MSG_NOSIGNAL), nil, 0)
      #else
        let count = write(descriptor, rest, rest.count)
      #endif
      if count <= 0 { return }
      rest.removeFirst(count)
    }
  }

  /// Receives a message; nil if the other side hangs up before its head is complete. Of a response,
  /// those with a status of 1xx are skipped.
  static func receive(
    _ descriptor: Int32, isRequest: Bool, hasNoBody: Bool = false
  ) -> Message? {
    var bytes = Data()
    func more() -> Bool {
      var space = [UInt8](repeating: 0, count: 65_536)
      let count = read(descriptor, &space, space.count)
      if count > 0 { bytes.append(contentsOf: space[..<count]) }
      return count > 0
    }
    while true {
      guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else {
        if more() { continue }
        return nil
      }
      let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        .components(separatedBy: "\r\n")
      bytes = Data(bytes[end.upperBound...])
      if !isRequest, lines[0].split(separator: " ").dropFirst().first?.hasPrefix("1") ?? false {
        continue
      }
      let fields = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
        guard let colon = line.firstIndex(of: ":") else { return nil }
        let value = line[line.index(after: colon)...]
        return (String(line[..<colon]), value.trimmingCharacters(in: .whitespaces))
      }
      let length = fields.first { $0.name.lowercased() == "content-length" }
        .flatMap { Int($0.value) }.map { max(0, $0) }
      if !hasNoBody {
        let wanted = length ?? (isRequest ? 0 : Int.max)
        while bytes.count < wanted, more() {}
        bytes = bytes.prefix(wanted)
      }
      return Message(firstLine: lines[0], fields: fields, body: hasNoBody ? Data() : bytes)
    }
  }
}
