import Foundation
import HTTPCaseSuite
import Larder
import LarderHTTP
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An origin whose answers a test sets, and which counts requests.
private final class Origin: Sendable {
  typealias Answer = @Sendable (LoopbackRequest) -> LoopbackReply

  private let answer: Mutex<Answer>
  private let log = Mutex<[LoopbackRequest]>([])
  private let held: Mutex<LoopbackServer?> = Mutex(nil)

  init(_ answer: @escaping Answer) throws {
    self.answer = Mutex(answer)
    let server = try LoopbackServer { [weak self] request in
      guard let self else { return LoopbackReply(500, "Gone") }
      self.log.withLock { $0.append(request) }
      return self.answer.withLock { $0 }(request)
    }
    held.withLock { $0 = server }
  }

  var requests: [LoopbackRequest] { log.withLock { $0 } }

  func url(_ path: String = "/") -> URL {
    held.withLock { $0?.url(path) } ?? URL(fileURLWithPath: "/")
  }

  func answers(_ answer: @escaping Answer) { self.answer.withLock { $0 = answer } }
}

/// A clock that stands still, and does something at one of its next readings.
private final class ActingClock: CacheClock {
  private let next: Mutex<(reading: Int, action: @Sendable () -> Void)?> = Mutex(nil)

  func act(at reading: Int, _ action: @escaping @Sendable () -> Void) {
    next.withLock { $0 = (reading, action) }
  }

  var now: CacheInstant {
    let action = next.withLock { next -> (@Sendable () -> Void)? in
      next?.reading -= 1
      return next?.reading == 0 ? next?.action : nil
    }
    action?()
    return CacheInstant(.seconds(1_790_000_000))
  }
}

@Suite(.endsInTime) struct HTTPCacheTests {
  private let clock = CaseClock()

  private func cache(
    _ client: HTTPClient = HTTPClient(LoopbackClient.send), staleIfError: Duration? = nil,
    directory: URL? = nil
  ) async throws -> HTTPCache {
    var configuration = HTTPCacheConfiguration(staleIfError: staleIfError, clock: clock)
    if directory == nil { configuration.disk = nil }
    return try await HTTPCache(directory: directory, configuration: configuration, client: client)
  }

  private func text(_ cache: HTTPCache, _ url: URL) async throws -> String {
    String(decoding: try await cache.data(from: url).0, as: UTF8.self)
  }

  @Test func responsesSurviveARestart() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "http-cache-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let origin = try Origin { _ in
      LoopbackReply("body", fields: [("Cache-Control", "max-age=60"), ("X", "1"), ("X", "2")])
    }
    let first = try await cache(directory: folder)
    _ = try await first.data(from: origin.url("/a"))
    try await first.close()
    clock.advance(by: .seconds(30))
    let second = try await cache(directory: folder)
    let result = try await second.result(for: URLRequest(url: origin.url("/a")))
    #expect(result.source == .cache && result.data == Data("body".utf8))
    #expect(result.response.value(forHTTPHeaderField: "x") == "1, 2")
    #expect(result.response.value(forHTTPHeaderField: "Age") == "30")
    let counts = await second.statistics
    #expect(origin.requests.count == 1 && counts.hits == 1)
    clock.advance(by: .seconds(30))
    #expect(try await second.result(for: URLRequest(url: origin.url("/a"))).source == .origin)
    try await second.close()
  }

  @Test func nameIsAFolderForCaches() async throws {
    let name = "larder-test-\(UUID().uuidString)"
    let caches = try FileManager.default.url(
      for: .cachesDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
    let cache = try await HTTPCache(name: name)
    try await cache.close()
    let app = caches.appendingPathComponent(ProcessInfo.processInfo.processName)
    let folder = app.appendingPathComponent(name)
    #expect(FileManager.default.fileExists(atPath: folder.path))
    try FileManager.default.removeItem(at: folder)
  }

  @Test func concurrentRequestsShareOneFetch() async throws {
    let origin = try Origin { _ in
      Thread.sleep(forTimeInterval: 0.2)
      return LoopbackReply("body", fields: [("Cache-Control", "max-age=60")])
    }
    let cache = try await cache()
    let url = origin.url("/a")
    try await withThrowingTaskGroup(of: Data.self) { group in
      for _ in 0..<20 { group.addTask { try await cache.data(from: url).0 } }
      for try await data in group { #expect(data == Data("body".utf8)) }
    }
    #expect(origin.requests.count == 1)
    let statistics = await cache.statistics
    #expect(statistics.misses == 1 && statistics.joined + statistics.hits == 19)
  }

  /// Both are with the origin at once: the second does not wait for the first.
  @Test(arguments: ["no-store", "no-cache", "max-age=0"])
  func requestsForAnUnsharedResponseAreParallel(control: String) async throws {
    let arrivals = Mutex<[CheckedContinuation<Void, Never>]>([])
    let client = HTTPClient { request in
      if request.value(forHTTPHeaderField: "Wait") != nil {
        await withCheckedContinuation { continuation in
          let all = arrivals.withLock { waiting in
            waiting.append(continuation)
            return waiting.count == 2 ? waiting : []
          }
          for continuation in all { continuation.resume() }
        }
      }
      guard let url = request.url,
        let response = HTTPURLResponse(
          url: url, statusCode: 200, httpVersion: nil,
          headerFields: ["Cache-Control": control, "ETag": "\"a\""])
      else { throw HTTPCacheError.damaged }
      return (Data("body".utf8), response)
    }
    let cache = try await cache(client)
    let url = try #require(URL(string: "http://a.example/a"))
    // The origin's answer is known from here on.
    _ = try await cache.data(from: url)
    var request = URLRequest(url: url)
    request.setValue("1", forHTTPHeaderField: "Wait")
    let (first, second) = (request, request)
    async let one = cache.data(for: first)
    async let two = cache.data(for: second)
    #expect(try await one.0 == two.0)
    let counts = await cache.statistics
    #expect(counts.misses == 3 && counts.joined == 0)
  }

  @Test func unstoredResponseIsNotShared() async throws {
    let origin = try Origin { _ in
      Thread.sleep(forTimeInterval: 0.1)
      return LoopbackReply("body", fields: [("Cache-Control", "no-store")])
    }
    let cache = try await cache()
    let url = origin.url("/a")
    try await withThrowingTaskGroup(of: Data.self) { group in
      for _ in 0..<5 { group.addTask { try await cache.data(from: url).0 } }
      for try await _ in group {}
    }
    #expect(origin.requests.count == 5)
  }

  @Test func cancelledRequestDoesNotCancelTheOthers() async throws {
    let gate = DispatchSemaphore(value: 0)
    let origin = try Origin { _ in
      _ = gate.wait(timeout: .now() + 60)
      return LoopbackReply("body", fields: [("Cache-Control", "max-age=60")])
    }
    let cache = try await cache()
    let url = origin.url("/a")
    let first = Task { try await cache.data(from: url).0 }
    while origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    let second = Task { try await cache.data(from: url).0 }
    // Usually enough to join the fetch; otherwise it makes one of its own.
    try await Task.sleep(for: .milliseconds(20))
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    for _ in 0..<2 { gate.signal() }
    #expect(try await second.value == Data("body".utf8))
  }

  @Test func staleResponseReplacesAnErrorIfTheAppPermits() async throws {
    let origin = try Origin { _ in LoopbackReply("old", fields: [("Cache-Control", "max-age=1")]) }
    let strict = try await cache()
    let lenient = try await cache(staleIfError: .seconds(60))
    let url = origin.url("/a")
    for cache in [strict, lenient] { _ = try await cache.data(from: url) }
    clock.advance(by: .seconds(10))
    origin.answers { _ in LoopbackReply(503, "Unavailable") }
    #expect(try await strict.data(from: url).1.statusCode == 503)
    let result = try await lenient.result(for: URLRequest(url: url))
    #expect(result.source == .staleIfError && result.data == Data("old".utf8))
    origin.answers { _ in
      var reply = LoopbackReply()
      reply.disconnects = true
      return reply
    }
    await #expect(throws: LoopbackError.self) { try await strict.data(from: url) }
    #expect(try await text(lenient, url) == "old")
    clock.advance(by: .seconds(60))
    await #expect(throws: LoopbackError.self) { try await lenient.data(from: url) }
    let counts = await lenient.statistics
    #expect(counts.staleIfError == 2 && counts.failures == 1)
  }

  @Test func redirectsAreFollowedAndStored() async throws {
    let origin = try Origin { request in
      switch request.target {
      case "/old":
        LoopbackReply(
          301, "Moved", fields: [("Location", "/new"), ("Cache-Control", "max-age=60")])
      case "/loop": LoopbackReply(302, "Found", fields: [("Location", "/loop")])
      default: LoopbackReply("new", fields: [("Cache-Control", "max-age=60")])
      }
    }
    let cache = try await cache()
    for _ in 0..<2 {
      let (data, response) = try await cache.data(from: origin.url("/old"))
      #expect(data == Data("new".utf8) && response.url == origin.url("/new"))
    }
    #expect(origin.requests.map(\.target) == ["/old", "/new"])
    await #expect(throws: HTTPCacheError.self) { try await cache.data(from: origin.url("/loop")) }
    #expect(await cache.statistics.failures == 1)
  }

  @Test func conditionOfTheClientConfirmsOnlyItsOwnRepresentation() async throws {
    let origin = try Origin { request in
      if request["If-None-Match"] == "W/\"b\"" {
        return LoopbackReply(304, "Not Modified", fields: [("ETag", "W/\"b\"")], body: nil)
      }
      return LoopbackReply("a", fields: [("ETag", "W/\"a\""), ("Cache-Control", "max-age=1")])
    }
    let cache = try await cache()
    let url = origin.url("/a")
    _ = try await cache.data(from: url)
    clock.advance(by: .seconds(10))
    var request = URLRequest(url: url)
    request.setValue("W/\"b\"", forHTTPHeaderField: "If-None-Match")
    #expect(try await cache.data(for: request).1.statusCode == 304)
    // Still stale.
    #expect(try await cache.result(for: URLRequest(url: url)).source == .origin)
  }

  @Test func ifRangeOfAnotherRepresentationGetsNoPart() async throws {
    let origin = try Origin { request in
      request["Range"] == nil || request["If-Range"] == "\"old\""
        ? LoopbackReply("0123456789", fields: [("ETag", "\"a\""), ("Cache-Control", "max-age=60")])
        : LoopbackReply(
          206, "Partial Content",
          fields: [
            ("Content-Range", "bytes 2-4/10"), ("ETag", "\"a\""), ("Cache-Control", "max-age=60"),
          ], body: Data("234".utf8))
    }
    let cache = try await cache()
    var request = URLRequest(url: origin.url("/a"))
    request.setValue("bytes=2-4", forHTTPHeaderField: "Range")
    for source in [HTTPCacheResult.Source.origin, .cache] {
      let result = try await cache.result(for: request)
      #expect(result.source == source && result.data == Data("234".utf8))
    }
    request.setValue("\"old\"", forHTTPHeaderField: "If-Range")
    let whole = try await cache.result(for: request)
    #expect(whole.source == .origin && whole.response.statusCode == 200)
  }

  @Test func redirectToAnotherServerLosesCredentials() async throws {
    let other = try Origin { _ in LoopbackReply("other") }
    let target = other.url("/a").absoluteString
    let origin = try Origin { _ in LoopbackReply(307, "There", fields: [("Location", target)]) }
    var request = URLRequest(url: origin.url("/a"))
    request.setValue("secret", forHTTPHeaderField: "Authorization")
    _ = try await cache().data(for: request)
    #expect(origin.requests.first?["Authorization"] == "secret")
    #expect(other.requests.count == 1 && other.requests.first?["Authorization"] == nil)
  }

  @Test(arguments: [("GET", 1), ("POST", 2)])
  func responseRequestedBeforeARemovalIsNotStored(method: String, invalidations: Int) async throws {
    let origin = try Origin { request in
      if request.method != "PUT" { Thread.sleep(forTimeInterval: 0.3) }
      return LoopbackReply(
        "body", fields: [("Cache-Control", "max-age=60"), ("Content-Location", "/a")])
    }
    let cache = try await cache()
    var request = URLRequest(url: origin.url("/a"))
    request.httpMethod = method
    let first = Task { [request] in try await cache.data(for: request) }
    while origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    request.httpMethod = "PUT"
    _ = try await cache.data(for: request)
    _ = try await first.value
    #expect(try await cache.result(for: URLRequest(url: origin.url("/a"))).source == .origin)
    let counts = await cache.statistics
    #expect(counts.invalidations == UInt64(invalidations))
  }

  /// Whichever two steps of storing it comes between.
  @Test(arguments: 1...5) func responseIsNotStoredAfterTheRemovalOfAll(reading: Int) async throws {
    let clock = ActingClock()
    var configuration = HTTPCacheConfiguration(clock: clock)
    configuration.disk = nil
    let cache = try await HTTPCache(
      directory: nil, configuration: configuration, client: HTTPClient(LoopbackClient.send))
    let removal: Mutex<Task<Void, any Error>?> = Mutex(nil)
    let origin = try Origin { _ in
      clock.act(at: reading) {
        let done = DispatchSemaphore(value: 0)
        removal.withLock {
          $0 = Task {
            try await cache.removeAll()
            done.signal()
          }
        }
        // Not for longer: it may need a lock that is held here.
        _ = done.wait(timeout: .now() + 0.2)
      }
      return LoopbackReply("a", fields: [("Cache-Control", "max-age=60")])
    }
    let request = URLRequest(url: origin.url("/a"))
    _ = try await cache.data(for: request)
    clock.act(at: 0) {}
    let task = removal.withLock { $0 }
    try await task?.value
    #expect(try await cache.result(for: request).source == (task == nil ? .cache : .origin))
  }

  @Test func incompleteAnswerToAPostIsNotStored() async throws {
    let client = HTTPClient { request in
      let fields = [
        "Cache-Control": "max-age=60", "Content-Location": "/a", "Content-Length": "10",
      ]
      guard let url = request.url,
        let response = HTTPURLResponse(
          url: url, statusCode: 200, httpVersion: nil, headerFields: fields)
      else { throw HTTPCacheError.damaged }
      return (Data("body".utf8), response)
    }
    let cache = try await cache(client)
    var request = URLRequest(url: try #require(URL(string: "http://a.example/a")))
    request.httpMethod = "POST"
    _ = try await cache.data(for: request)
    request.httpMethod = "GET"
    #expect(try await cache.result(for: request).source == .origin)
  }

  /// A response of another variant is neither a condition of a waiting request nor its answer.
  @Test func waitingRequestGetsItsOwnVariant() async throws {
    let gate = DispatchSemaphore(value: 0)
    let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    let origin = try Origin { request in
      _ = gate.wait(timeout: .now() + 60)
      if request["If-Modified-Since"] != nil { return LoopbackReply(304, "Same", body: nil) }
      return LoopbackReply(
        request["Accept-Language"] ?? "",
        fields: [
          ("Vary", "Accept-Language"), ("Last-Modified", modified), ("Cache-Control", "max-age=60"),
        ])
    }
    let cache = try await cache()
    func ask(_ language: String) -> Task<Data, any Error> {
      var request = URLRequest(url: origin.url("/a"))
      request.setValue(language, forHTTPHeaderField: "Accept-Language")
      return Task { [request] in try await cache.data(for: request).0 }
    }
    let first = ask("en")
    while origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    let second = ask("de")
    // Usually enough to join the fetch.
    try await Task.sleep(for: .milliseconds(20))
    for _ in 0..<2 { gate.signal() }
    #expect(try await first.value == Data("en".utf8))
    #expect(try await second.value == Data("de".utf8))
  }

  @Test(arguments: ["GET", "HEAD"], [("Cache-Control", "no-store"), ("Vary", "*")])
  func updateThatForbidsStoringRemoves(method: String, field: (String, String)) async throws {
    let old = [("ETag", "\"a\""), ("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")]
    let origin = try Origin { _ in
      LoopbackReply("a", fields: old + [("Cache-Control", "max-age=1")])
    }
    let cache = try await cache()
    _ = try await cache.data(from: origin.url("/a"))
    clock.advance(by: .seconds(10))
    origin.answers { request in
      let fields = old + [("Content-Length", "1"), field]
      return request["If-None-Match"] == nil
        ? LoopbackReply("a", fields: fields) : LoopbackReply(304, "Same", fields: fields, body: nil)
    }
    var request = URLRequest(url: origin.url("/a"))
    request.httpMethod = method
    _ = try await cache.data(for: request)
    #expect(try await cache.result(for: URLRequest(url: origin.url("/a"))).source == .origin)
    #expect(origin.requests.last?["If-None-Match"] == nil)
  }

  @Test(arguments: [("POST", ""), ("GET", "no-store"), ("GET", "if-match"), ("GET", "stale")])
  func requestForTheCacheAloneIsNotSent(method: String, field: String) async throws {
    let control = ("Cache-Control", "max-age=1, stale-while-revalidate=60")
    let origin = try Origin { _ in LoopbackReply("a", fields: [control]) }
    let cache = try await cache()
    _ = try await cache.data(from: origin.url("/a"))
    clock.advance(by: .seconds(10))
    var request = URLRequest(url: origin.url("/a"))
    request.httpMethod = method
    let isNoStore = field == "no-store" ? ", no-store" : ""
    request.setValue("only-if-cached" + isNoStore, forHTTPHeaderField: "Cache-Control")
    if field == "if-match" { request.setValue("*", forHTTPHeaderField: "If-Match") }
    let source = try await cache.result(for: request).source
    #expect(source == (field == "stale" ? .staleWhileRevalidate : .none))
    await cache.settle()
    #expect(origin.requests.count == 1)
  }

  @Test(arguments: [("37", 200), ("38", 206)])
  func dateInIfRangeIsOfAnEarlierSecond(second: String, status: Int) async throws {
    let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    let origin = try Origin { _ in
      LoopbackReply(
        "0123456789",
        fields: [
          ("Last-Modified", modified), ("Date", "Sun, 06 Nov 1994 08:49:\(second) GMT"),
          ("Cache-Control", "max-age=2000000000"),
        ])
    }
    let cache = try await cache()
    var request = URLRequest(url: origin.url("/a"))
    _ = try await cache.data(for: request)
    request.setValue("bytes=2-4", forHTTPHeaderField: "Range")
    request.setValue(modified, forHTTPHeaderField: "If-Range")
    let result = try await cache.result(for: request)
    #expect(result.source == .cache && result.response.statusCode == status)
  }

  @Test func weakTagOfAnotherRepresentationIsAskedAgain() async throws {
    let origin = try Origin { request in
      if request["If-None-Match"] != nil {
        return LoopbackReply(304, "Not Modified", fields: [("ETag", "W/\"2\"")], body: nil)
      }
      return LoopbackReply("a", fields: [("ETag", "W/\"1\""), ("Cache-Control", "max-age=1")])
    }
    let cache = try await cache()
    #expect(try await text(cache, origin.url("/a")) == "a")
    clock.advance(by: .seconds(10))
    origin.answers { request in
      request["If-None-Match"] == nil
        ? LoopbackReply("b", fields: [("ETag", "W/\"2\""), ("Cache-Control", "max-age=1")])
        : LoopbackReply(304, "Not Modified", fields: [("ETag", "W/\"2\"")], body: nil)
    }
    #expect(try await text(cache, origin.url("/a")) == "b")
    #expect(origin.requests.map { $0["If-None-Match"] } == [nil, "W/\"1\"", nil])
    let counts = await cache.statistics
    #expect(counts.revalidated == 0)
  }

  @Test func clockThatWasAheadMakesNothingFresh() async throws {
    let origin = try Origin { _ in LoopbackReply("a", fields: [("Cache-Control", "max-age=60")]) }
    let cache = try await cache()
    clock.advance(by: .seconds(10 * 365 * 86_400))
    _ = try await cache.data(from: origin.url("/a"))
    clock.advance(by: .seconds(-10 * 365 * 86_400))
    for source in [HTTPCacheResult.Source.origin, .cache] {
      #expect(try await cache.result(for: URLRequest(url: origin.url("/a"))).source == source)
    }
  }

  @Test func tokenThatSelectsAVariantIsNotOnDisk() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "http-cache-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let origin = try Origin { _ in
      LoopbackReply("a", fields: [("Vary", "Authorization"), ("Cache-Control", "max-age=60")])
    }
    var request = URLRequest(url: origin.url("/a"))
    request.setValue("Bearer secret-1234", forHTTPHeaderField: "Authorization")
    let first = try await cache(directory: folder)
    _ = try await first.data(for: request)
    try await first.close()
    let names = try #require(FileManager.default.enumerator(atPath: folder.path)).allObjects
    #expect(names.count > 1)
    for case let name as String in names {
      let data = try? Data(contentsOf: folder.appendingPathComponent(name))
      #expect(data?.range(of: Data("secret-1234".utf8)) == nil, "\(name)")
    }
    let second = try await cache(directory: folder)
    #expect(try await second.result(for: request).source == .cache)
    #expect(try await second.result(for: URLRequest(url: origin.url("/a"))).source == .origin)
    try await second.close()
  }

  @Test func destroyedCacheHasNoFilesAndAsksTheOrigin() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "http-cache-\(UUID().uuidString)")
    let origin = try Origin { _ in LoopbackReply("a", fields: [("Cache-Control", "max-age=60")]) }
    let cache = try await cache(directory: folder)
    _ = try await cache.data(from: origin.url("/a"))
    try await cache.destroy()
    #expect(!FileManager.default.fileExists(atPath: folder.path))
    #expect(try await text(cache, origin.url("/a")) == "a")
    #expect(origin.requests.count == 2)
    try await cache.destroy()
  }

  @Test func removalsMakeMisses() async throws {
    let origin = try Origin { _ in LoopbackReply("a", fields: [("Cache-Control", "max-age=60")]) }
    let cache = try await cache()
    let (one, two) = (origin.url("/1"), origin.url("/2"))
    for url in [one, two] { _ = try await cache.data(from: url) }
    #expect(try await cache.remove(one))
    #expect(try await !cache.remove(one))
    #expect(try await cache.result(for: URLRequest(url: one)).source == .origin)
    #expect(try await cache.result(for: URLRequest(url: two)).source == .cache)
    #expect(try await cache.removeAll().memoryCount == 2)
    #expect(try await cache.result(for: URLRequest(url: two)).source == .origin)
  }

  @Test func cachePoliciesOfRequestsAreRespected() async throws {
    let origin = try Origin { _ in LoopbackReply("a", fields: [("Cache-Control", "max-age=1")]) }
    let cache = try await cache()
    func source(_ policy: URLRequest.CachePolicy) async throws -> HTTPCacheResult.Source {
      var request = URLRequest(url: origin.url("/a"))
      request.cachePolicy = policy
      return try await cache.result(for: request).source
    }
    #expect(try await source(.returnCacheDataDontLoad) == .none)
    #expect(try await source(.returnCacheDataElseLoad) == .origin)
    #expect(try await source(.useProtocolCachePolicy) == .cache)
    #expect(try await source(.reloadIgnoringLocalCacheData) == .origin)
    #expect(try await source(.reloadRevalidatingCacheData) == .origin)
    clock.advance(by: .seconds(10))
    #expect(try await source(.returnCacheDataElseLoad) == .cache)
    #expect(try await source(.returnCacheDataDontLoad) == .cache)
    #expect(try await source(.useProtocolCachePolicy) == .origin)
  }

  @Test func reloadIsUnconditionalOnlyIfTheStoredResponseIsIgnored() async throws {
    let origin = try Origin { request in
      request["If-None-Match"] == nil
        ? LoopbackReply("a", fields: [("ETag", "\"a\""), ("Cache-Control", "max-age=60")])
        : LoopbackReply(304, "Not Modified", body: nil)
    }
    let cache = try await cache()
    var request = URLRequest(url: origin.url("/a"))
    var sources: [HTTPCacheResult.Source] = []
    for policy: URLRequest.CachePolicy in [
      .useProtocolCachePolicy, .reloadIgnoringLocalCacheData, .reloadRevalidatingCacheData,
    ] {
      request.cachePolicy = policy
      sources.append(try await cache.result(for: request).source)
    }
    #expect(sources == [.origin, .origin, .revalidated])
    #expect(origin.requests.map { $0["If-None-Match"] } == [nil, nil, "\"a\""])
  }

  @Test func partsHaveIndicesFromZero() async throws {
    let origin = try Origin { _ in
      LoopbackReply("0123456789", fields: [("Cache-Control", "max-age=60")])
    }
    let cache = try await cache()
    _ = try await cache.data(from: origin.url("/a"))
    var request = URLRequest(url: origin.url("/a"))
    request.setValue("bytes=2-4", forHTTPHeaderField: "Range")
    let (data, response) = try await cache.data(for: request)
    #expect(response.statusCode == 206 && data == Data("234".utf8) && data.startIndex == 0)
    #expect(response.value(forHTTPHeaderField: "Content-Range") == "bytes 2-4/10")
    request.setValue("bytes=20-", forHTTPHeaderField: "Range")
    #expect(try await cache.result(for: request).source == .origin)
  }

  @Test func closedCacheStillAsksTheOrigin() async throws {
    let origin = try Origin { _ in LoopbackReply("a", fields: [("Cache-Control", "max-age=60")]) }
    let cache = try await cache()
    try await cache.close()
    #expect(try await text(cache, origin.url("/a")) == "a")
    let counts = await cache.statistics
    #expect(counts.storeFailures > 0)
  }

  @Test func otherSchemesAreRefused() async throws {
    let cache = try await cache()
    let file = URL(fileURLWithPath: "/tmp")
    await #expect(throws: HTTPCacheError.self) { try await cache.data(from: file) }
    await #expect(throws: HTTPCacheError.self) { try await HTTPCache(name: "a/b") }
  }

  // MARK: URLSession

  @Test func sessionNeitherCachesNorFollowsRedirects() async throws {
    let origin = try Origin { request in
      switch request.target {
      case "/old":
        LoopbackReply(302, "Found", fields: [("Location", "/new")], body: Data("moved".utf8))
      case "/etag" where request["If-None-Match"] == "\"a\"":
        LoopbackReply(304, "Not Modified", fields: [("X", "2")], body: nil)
      case "/etag":
        LoopbackReply("a", fields: [("ETag", "\"a\""), ("X", "1"), ("Cache-Control", "no-cache")])
      default: LoopbackReply("new", fields: [("Cache-Control", "max-age=60")])
      }
    }
    let cache = try await cache(.urlSession())
    for _ in 0..<2 { #expect(try await text(cache, origin.url("/old")) == "new") }
    #expect(origin.requests.map(\.target) == ["/old", "/new", "/old"])
    _ = try await cache.data(from: origin.url("/etag"))
    let result = try await cache.result(for: URLRequest(url: origin.url("/etag")))
    #expect(result.source == .revalidated && result.data == Data("a".utf8))
    #expect(result.response.statusCode == 200)
    #expect(result.response.value(forHTTPHeaderField: "X") == "2")
  }

  @Test func sessionIsCancelledWithItsRequest() async throws {
    let gate = DispatchSemaphore(value: 0)
    let origin = try Origin { _ in
      _ = gate.wait(timeout: .now() + 60)
      return LoopbackReply("a")
    }
    let cache = try await cache(.urlSession())
    let task = Task { try await cache.data(from: origin.url("/a")) }
    while origin.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    gate.signal()
  }

  @Test func requestOfACancelledTaskEnds() async throws {
    let origin = try Origin { _ in LoopbackReply("a") }
    let client = HTTPClient.urlSession()
    for _ in 0..<100 {
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await client.data(from: origin.url("/a")).0
      }
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test func bodyAboveTheLimitFails() async throws {
    let origin = try Origin { request in
      LoopbackReply(String(repeating: "a", count: request.target == "/large" ? 1_001 : 1_000))
    }
    let client = HTTPClient.urlSession(bytesMax: 1_000)
    #expect(try await client.data(from: origin.url("/a")).0.count == 1_000)
    let error = await #expect(throws: HTTPCacheError.self) {
      try await client.data(from: origin.url("/large"))
    }
    #expect(
      error?.description.hasSuffix("more than 1000 bytes; raise the client's bytesMax") == true)
    let none = HTTPClient.urlSession(bytesMax: -1)
    await #expect(throws: HTTPCacheError.self) { try await none.data(from: origin.url("/a")) }
  }

  @Test func cookiesOfTheSessionSelectVariants() async throws {
    let origin = try Origin { request in
      if request.target == "/login" {
        return LoopbackReply("in", fields: [("Set-Cookie", "user=1; Path=/")])
      }
      return LoopbackReply(
        request["Cookie"] ?? "nobody",
        fields: [("Vary", "Cookie"), ("Cache-Control", "max-age=60")])
    }
    let configuration = URLSessionConfiguration.ephemeral
    let cache = try await cache(.urlSession(configuration))
    #expect(try await text(cache, origin.url("/a")) == "nobody")
    _ = try await cache.data(from: origin.url("/login"))
    #expect(try await text(cache, origin.url("/a")) == "user=1")
    #expect(try await text(cache, origin.url("/a")) == "user=1")
    #expect(origin.requests.count == 3)
  }
}
