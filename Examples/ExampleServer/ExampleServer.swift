import FlyingFox
public import Foundation
import Synchronization

/// An HTTP server on the loopback, for examples and their tests. It keeps what it was asked, and can
/// be out of order.
public final class ExampleServer: Sendable {
  /// An answer: a body and its version, or neither if there is nothing at the path.
  public struct Page: Sendable {
    /// The body.
    public var body: Data
    /// The `ETag`.
    public var version: String

    /// Creates a page.
    public init(_ body: Data, version: String) {
      self.body = body
      self.version = version
    }
  }

  /// Address of the server, without a slash at its end.
  public let address: String
  private let log = Mutex<[String]>([])
  private let broken = Mutex(false)

  private init(port: UInt16) { address = "http://127.0.0.1:\(port)" }

  /// The URL of a path.
  public func url(_ path: String) -> URL {
    guard let url = URL(string: address + path) else { preconditionFailure("\(path): no path") }
    return url
  }

  /// Targets of the requests since the last call, with the version that each one had, such as
  /// `/pictures/1 if not "v1"`.
  public func takeRequests() -> [String] {
    log.withLock { log in
      defer { log = [] }
      return log
    }
  }

  /// True to answer everything with 503.
  public var isBroken: Bool {
    get { broken.withLock { $0 } }
    set { broken.withLock { $0 = newValue } }
  }

  /// Runs a server for the time of `body`.
  ///
  /// - Parameter pages: Returns the page for a path and the parameters behind `?`; fresh for a
  ///   minute.
  public static func run(
    _ pages: @escaping @Sendable (_ path: String, _ query: [String: String]) -> Page?,
    _ body: (ExampleServer) async throws -> Void
  ) async throws {
    let server = HTTPServer(address: try .inet(ip4: "127.0.0.1", port: 0))
    let running = Task { try await server.run() }
    defer { running.cancel() }
    try await server.waitUntilListening()
    guard case .ip4(_, let port) = await server.listeningAddress else { return }
    let shown = ExampleServer(port: port)
    await server.appendRoute("*") { request in shown.answer(request, pages) }
    try await body(shown)
  }

  private func answer(
    _ request: HTTPRequest, _ pages: (String, [String: String]) -> Page?
  ) -> HTTPResponse {
    let known = request.headers[HTTPHeader("If-None-Match")]
    let query = Dictionary(request.query.map { ($0.name, $0.value) }) { $1 }
    let target =
      request.path + query.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
    log.withLock { $0.append(target + (known.map { " if not \($0)" } ?? "")) }
    if isBroken { return HTTPResponse(statusCode: .serviceUnavailable) }
    guard let page = pages(request.path, query) else {
      return HTTPResponse(statusCode: .notFound)
    }
    let version = "\"\(page.version)\""
    let fields: HTTPHeaders = [
      HTTPHeader("ETag"): version, HTTPHeader("Cache-Control"): "max-age=60",
    ]
    return known == version
      ? HTTPResponse(statusCode: .notModified, headers: fields)
      : HTTPResponse(statusCode: .ok, headers: fields, body: page.body)
  }
}
