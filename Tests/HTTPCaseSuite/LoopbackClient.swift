public import Foundation
import LarderLibc

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A client for servers on the loopback. It sends what it is given, and returns what it gets:
/// `URLSession` adds fields, decodes content and hides some responses.
public enum LoopbackClient {
  /// Sends a request.
  ///
  /// - Throws: `LoopbackError` if the server hangs up.
  @Sendable public static func send(
    _ request: URLRequest
  ) async throws -> (Data, HTTPURLResponse) {
    try await withCheckedThrowingContinuation { continuation in
      // A thread of its own: those of the tasks and of queues must not all wait for servers.
      Thread.detachNewThread {
        continuation.resume(with: Result { try exchange(request) })
      }
    }
  }

  private static func exchange(_ request: URLRequest) throws -> (Data, HTTPURLResponse) {
    guard let url = request.url, let port = url.port else {
      throw LoopbackError(reason: "no port")
    }
    let descriptor = Loopback.stream()
    defer { close(descriptor) }
    var address = Loopback.address(UInt16(clamping: port))
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw LoopbackError(reason: "no connection") }
    let method = request.httpMethod ?? "GET"
    let path = url.path(percentEncoded: true) + (url.query.map { "?\($0)" } ?? "")
    var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n"
    for (name, value) in request.allHTTPHeaderFields ?? [:]
    where name.lowercased() != "content-length" {
      head += "\(name): \(value)\r\n"
    }
    if let body = request.httpBody { head += "Content-Length: \(body.count)\r\n" }
    Loopback.send(descriptor, Data((head + "\r\n").utf8) + (request.httpBody ?? Data()))
    guard
      let message = Loopback.receive(descriptor, isRequest: false, hasNoBody: method == "HEAD"),
      let status = message.firstLine.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
    else { throw LoopbackError(reason: "the server hung up") }
    var fields: [String: String] = [:]
    for (name, value) in message.fields {
      let known = fields.keys.first { $0.lowercased() == name.lowercased() } ?? name
      fields[known] = fields[known].map { "\($0), \(value)" } ?? value
    }
    guard
      let response = HTTPURLResponse(
        url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
    else { throw LoopbackError(reason: "no response") }
    return ([204, 304].contains(status) ? Data() : message.body, response)
  }
}
