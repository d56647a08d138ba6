import Foundation
import HTTPCaseSuite
import Larder
import LarderHTTP
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct OriginAnswerTests {
  private let received = Date(timeIntervalSince1970: 784_111_777)

  private func response(_ status: Int, _ fields: [String: String]) throws -> HTTPURLResponse {
    let url = try #require(URL(string: "http://example.com/a"))
    return try #require(
      HTTPURLResponse(
        url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields))
  }

  private func answer(_ status: Int, _ fields: [String: String]) throws -> String {
    "\(try OriginAnswer(1, response(status, fields), received: received))"
  }

  private func value(_ version: String?, _ seconds: Int64, type: String? = nil) -> String {
    "\(OriginAnswer<Int>.value(1, version: version, maxAge: .seconds(seconds), contentType: type))"
  }

  /// The body of a 304 or a 404 is not one of the value.
  @Test func onlyBodiesOfValuesAreDecoded() throws {
    struct Undecodable: Error {}
    func decoded() throws -> Int { throw Undecodable() }
    for status in [304, 404, 410] {
      _ = try OriginAnswer(try decoded(), response(status, [:]), received: received)
    }
    #expect(throws: HTTPStatusError.self) {
      try OriginAnswer(try decoded(), response(500, [:]), received: received)
    }
    #expect(throws: Undecodable.self) {
      try OriginAnswer(try decoded(), response(200, [:]), received: received)
    }
  }

  @Test func lifetimeIsWhatIsLeft() throws {
    #expect(
      try answer(200, ["Cache-Control": "max-age=60", "Age": "20", "ETag": "\"a\""])
        == value("\"a\"", 40))
    let expires = [
      "Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Expires": "Sun, 06 Nov 1994 08:50:37 GMT",
      "Content-Type": "text/plain",
    ]
    #expect(try answer(200, expires) == value(nil, 60, type: "text/plain"))
    let modified = "Sun, 06 Nov 1994 08:32:57 GMT"
    #expect(try answer(200, ["Last-Modified": modified]) == value(modified, 100))
  }

  @Test func directivesBecomeCases() throws {
    #expect(try answer(200, ["Cache-Control": "no-store"]) == "\(OriginAnswer<Int>.unstored(1))")
    #expect(try answer(200, [:]) == "\(OriginAnswer<Int>.unstored(1))")
    #expect(
      try answer(200, ["Cache-Control": "no-cache, max-age=9", "ETag": "\"a\""])
        == "\(OriginAnswer<Int>.mustRevalidate(1, version: "\"a\"", maxAge: .zero))")
    #expect(
      try answer(200, ["Cache-Control": "must-revalidate, max-age=9"])
        == "\(OriginAnswer<Int>.mustRevalidate(1, maxAge: .seconds(9)))")
    #expect(throws: HTTPStatusError.self) { try answer(503, [:]) }
  }

  @Test(arguments: [404, 410])
  func absenceLivesAsLongAsTheResponseIsFresh(status: Int) throws {
    func absence(_ fields: [String: String]) throws -> Int64? {
      switch try OriginAnswer(1, response(status, fields), received: received) {
      case .absence(let life): life.components.seconds
      case .absent: nil
      default: -1
      }
    }
    #expect(try absence([:]) == nil)
    #expect(try absence(["Cache-Control": "public", "ETag": "\"a\""]) == nil)
    #expect(try absence(["Cache-Control": "max-age=60", "Age": "20"]) == 40)
    #expect(try absence(["Cache-Control": "max-age=60", "Age": "70"]) == 0)
    let expires = [
      "Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Expires": "Sun, 06 Nov 1994 08:50:37 GMT",
    ]
    #expect(try absence(expires) == 60)
    #expect(try absence(["Last-Modified": "Sun, 06 Nov 1994 08:32:57 GMT"]) == 100)
    for header in ["no-store, max-age=60", "no-cache, max-age=60", "max-age=0"] {
      #expect(try absence(["Cache-Control": header]) == 0, "\(header)")
    }
    #expect(try absence(["Cache-Control": "max-age=60", "Vary": "*"]) == 0)
  }

  @Test func absenceIsAskedForAgainWhenItsLifetimeEnds() async throws {
    let clock = CaseClock()
    let header = Mutex("max-age=60")
    let requests = Mutex(0)
    let server = try LoopbackServer { _ in
      requests.withLock { $0 += 1 }
      let control = header.withLock { $0 }
      return LoopbackReply(404, "Not Found", fields: [(name: "Cache-Control", value: control)])
    }
    let images = try await HybridCache<URL, Data>(
      configuration: HybridCacheConfiguration(disk: nil, clock: clock))
    let url = server.url("/a")
    /// Number of requests at the server after another get.
    func ask() async -> Int {
      let result = await images.result(for: url) { origin in
        let (data, response) = try await LoopbackClient.send(URLRequest(url: url))
        return try OriginAnswer(data, response, received: clock.now.date)
      }
      guard case .absent = result else { return -1 }
      return requests.withLock { $0 }
    }
    for _ in 0..<2 { #expect(await ask() == 1) }
    clock.advance(by: .seconds(59))
    #expect(await ask() == 1)
    clock.advance(by: .seconds(1))
    #expect(await ask() == 2)
    clock.advance(by: .seconds(60))
    header.withLock { $0 = "no-store" }
    #expect(await ask() == 3)
    #expect(await ask() == 4)
    withExtendedLifetime(server) {}
  }

  @Test func notModifiedHasTheNewLifetime() throws {
    #expect(try answer(304, [:]) == "\(OriginAnswer<Int>.notModified())")
    #expect(
      try answer(304, ["Cache-Control": "max-age=9", "ETag": "\"b\""])
        == "\(OriginAnswer<Int>.notModified(version: "\"b\"", maxAge: .seconds(9)))")
    #expect(
      try answer(304, ["Cache-Control": "no-cache"])
        == "\(OriginAnswer<Int>.notModified(maxAge: .zero))")
  }

  @Test func loaderOfAHybridCacheFollowsHTTP() async throws {
    let clock = CaseClock()
    let log = Mutex<[String?]>([])
    let isDown = Mutex(false)
    let server = try LoopbackServer { request in
      log.withLock { $0.append(request["If-None-Match"]) }
      if isDown.withLock({ $0 }) { return LoopbackReply(503, "Unavailable") }
      let fields = [(name: "ETag", value: "\"a\""), (name: "Cache-Control", value: "max-age=60")]
      if request["If-None-Match"] == "\"a\"" {
        return LoopbackReply(304, "Not Modified", fields: fields, body: nil)
      }
      return LoopbackReply("picture", fields: fields)
    }
    let images = try await HybridCache<URL, Data>(
      configuration: HybridCacheConfiguration(
        disk: nil, staleIfError: .seconds(600), clock: clock))
    let url = server.url("/a")
    func picture() async throws -> String? {
      let result = await images.result(for: url) { origin in
        let request = URLRequest(url: url).revalidating(origin)
        let (data, response) = try await LoopbackClient.send(request)
        return try OriginAnswer(data, response, received: clock.now.date)
      }
      return try result.get().map { String(decoding: $0, as: UTF8.self) }
    }
    for _ in 0..<2 { #expect(try await picture() == "picture") }
    #expect(log.withLock { $0 } == [nil])
    clock.advance(by: .seconds(60))
    for _ in 0..<2 { #expect(try await picture() == "picture") }
    #expect(log.withLock { $0 } == [nil, "\"a\""])
    clock.advance(by: .seconds(60))
    isDown.withLock { $0 = true }
    #expect(try await picture() == "picture")
    clock.advance(by: .seconds(601))
    await #expect(throws: HTTPStatusError.self) { try await picture() }
    withExtendedLifetime(server) {}
  }

  @Test func versionsBecomeConditions() throws {
    let request = URLRequest(url: try #require(URL(string: "http://example.com/a")))
    let tagged = request.revalidating(OriginRequest(key: "a", version: "W/\"a\""))
    #expect(tagged.value(forHTTPHeaderField: "If-None-Match") == "W/\"a\"")
    let date = "Sun, 06 Nov 1994 08:32:57 GMT"
    let dated = request.revalidating(OriginRequest(key: "a", version: date))
    #expect(dated.value(forHTTPHeaderField: "If-Modified-Since") == date)
    #expect(dated.value(forHTTPHeaderField: "If-None-Match") == nil)
    #expect(request.revalidating(OriginRequest(key: "a")) == request)
  }
}
