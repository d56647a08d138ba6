import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import Larder
import LarderHTTP
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An HTTP cache in front of a real server, asked by async-http-client.
@Suite struct HTTPClientTests {
  /// Requests that the server has answered, as `GET /path If-None-Match`.
  private final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
  }

  /// Runs a server for the time of `body`, which receives its address.
  private func withServer(_ body: @escaping @Sendable (String, Log) async throws -> Void)
    async throws
  {
    let log = Log()
    let router = Router()
    router.get("picture") { request, _ -> Response in
      let version = request.headers[.ifNoneMatch]
      log.add("picture \(version ?? "-")")
      let fields: HTTPFields = [
        .eTag: "\"1\"", .cacheControl: "max-age=60", .contentType: "text/plain",
      ]
      if version == "\"1\"" { return Response(status: .notModified, headers: fields) }
      return Response(
        status: .ok, headers: fields, body: .init(byteBuffer: ByteBuffer(string: "pixels")))
    }
    router.get("old") { _, _ -> Response in
      log.add("old")
      return Response(status: .found, headers: [.location: "/picture"])
    }
    router.post("picture") { request, _ -> Response in
      let content = try await request.body.collect(upTo: 1000)
      log.add("posted \(String(buffer: content))")
      return Response(status: .noContent)
    }
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    let server = Application(
      router: router,
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) })
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await server.run() }
      var found = ports.makeAsyncIterator()
      let port = try #require(await found.next())
      try await body("http://127.0.0.1:\(port)", log)
      group.cancelAll()
    }
  }

  private func cache(_ client: AsyncHTTPClient.HTTPClient) async throws -> HTTPCache {
    try await HTTPCache(
      directory: nil, configuration: HTTPCacheConfiguration(disk: nil),
      client: .asyncHTTPClient(client))
  }

  private func withClient(
    _ body: (AsyncHTTPClient.HTTPClient) async throws -> Void
  ) async throws {
    let client = AsyncHTTPClient.HTTPClient(
      configuration: .init(redirectConfiguration: .disallow))
    do {
      try await body(client)
    } catch {
      try await client.shutdown()
      throw error
    }
    try await client.shutdown()
  }

  @Test func freshResponsesAreNotAskedAgain() async throws {
    try await withServer { address, log in
      try await withClient { client in
        let cache = try await cache(client)
        let url = try #require(URL(string: address + "/picture"))
        for _ in 0..<3 {
          let (data, response) = try await cache.data(from: url)
          #expect(String(decoding: data, as: UTF8.self) == "pixels")
          #expect(response.statusCode == 200)
        }
        #expect(log.all == ["picture -"])
        // The cache follows redirects, and asks the target no more.
        let old = try #require(URL(string: address + "/old"))
        let (data, response) = try await cache.data(from: old)
        #expect(String(decoding: data, as: UTF8.self) == "pixels" && response.url == url)
        #expect(log.all == ["picture -", "old"])
        var post = URLRequest(url: url)
        post.httpMethod = "POST"
        post.httpBody = Data("new".utf8)
        #expect(try await cache.data(for: post).1.statusCode == 204)
        _ = try await cache.data(from: url)
        #expect(log.all == ["picture -", "old", "posted new", "picture -"])
      }
    }
  }

  @Test func messagesOfHTTPTypesGoThroughTheCache() async throws {
    try await withServer { address, log in
      try await withClient { client in
        let cache = try await cache(client)
        let url = try #require(URL(string: address + "/picture"))
        let request = HTTPRequest(method: .get, url: url)
        for _ in 0..<2 {
          let (data, response) = try await cache.data(for: request)
          #expect(String(decoding: data, as: UTF8.self) == "pixels")
          #expect(response.status == .ok && response.headerFields[.eTag] == "\"1\"")
        }
        #expect(log.all == ["picture -"])
      }
    }
  }

  @Test func loaderConfirmsWhatTheCacheHas() async throws {
    try await withServer { address, log in
      try await withClient { client in
        let cache = try await HybridCache<String, String>(
          configuration: HybridCacheConfiguration(disk: nil, strategy: .fetch))
        for _ in 0..<2 {
          let result = await cache.result(for: "picture") { origin in
            let request = HTTPClientRequest(url: address + "/picture").revalidating(origin)
            let response = try await client.execute(request, timeout: .seconds(60))
            let body = try await response.body.collect(upTo: 1000)
            return try OriginAnswer(String(buffer: body), response)
          }
          #expect(result.value == "pixels")
        }
        #expect(log.all == ["picture -", "picture \"1\""])
      }
    }
  }
}

/// Answers and conditions in messages of swift-http-types.
struct HTTPTypesTests {
  private let request = HTTPRequest(
    method: .get, scheme: "https", authority: "example.com", path: "/a")

  @Test func answerFollowsTheFields() throws {
    let fields: HTTPFields = [.cacheControl: "max-age=60", .eTag: "\"a\""]
    let answer = try OriginAnswer(
      1, HTTPResponse(status: .ok, headerFields: fields), to: request)
    #expect("\(answer)" == "\(OriginAnswer<Int>.value(1, version: "\"a\"", maxAge: .seconds(60)))")
    let confirmed = try OriginAnswer(
      1, HTTPResponse(status: .notModified, headerFields: fields), to: request)
    #expect(
      "\(confirmed)" == "\(OriginAnswer<Int>.notModified(version: "\"a\"", maxAge: .seconds(60)))")
    #expect("\(try OriginAnswer(1, HTTPResponse(status: .gone), to: request))" == "absent")
    #expect(throws: HTTPStatusError(status: 503, url: "https://example.com/a")) {
      try OriginAnswer(1, HTTPResponse(status: .serviceUnavailable), to: request)
    }
  }

  @Test func conditionIsTheVersion() {
    let tagged = request.revalidating(OriginRequest(key: "a", version: "\"a\""))
    #expect(tagged.headerFields[.ifNoneMatch] == "\"a\"")
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    let dated = request.revalidating(OriginRequest(key: "a", version: date))
    #expect(dated.headerFields[.ifModifiedSince] == date)
    #expect(request.revalidating(OriginRequest(key: "a")) == request)
  }
}
