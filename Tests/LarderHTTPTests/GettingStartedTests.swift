import Foundation
import Larder
import LarderHTTP
import Synchronization
import TestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private struct User: Sendable {
  var id: Int
  var visits = 0
  var bytes: Int { 100 }
  var isGuest: Bool { id < 0 }
}
private struct Article: Codable, Sendable { var title: String }
private struct Picture: Sendable {
  let pixels: Data
  init(_ data: Data) throws { pixels = data }  // decodes the bytes
}

extension DiskCodec<Picture> {
  fileprivate static var picture: DiskCodec {
    DiskCodec(identity: "picture", encode: { $0.pixels }, decode: { try Picture($0) })
  }
}

private struct API: Sendable {
  func user(_ id: Int) async throws -> User { User(id: id) }
  func users(_ ids: [Int]) async throws -> [Int: User] {
    Dictionary(uniqueKeysWithValues: ids.map { ($0, User(id: $0)) })
  }
  func article(_ id: String) async throws -> Article { Article(title: id) }
}

/// The code of the articles is compiled here and in GoingFurtherCode.swift.
@Suite(.serialized) struct GettingStartedTests {
  private let api = API()

  private static func text(_ path: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// Lines of code without access levels and comments.
  private static func code(_ text: String) -> [String] {
    text.split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces).replacing(#/^(file)?private /#, with: "")
        .replacing(#/ *// .*/#, with: "")
    }
  }

  @Test(arguments: ["GettingStarted", "GoingFurther"])
  func codeOfTheArticleIsCompiledHere(_ article: String) throws {
    let own = Set(
      try ["GettingStartedTests", "GoingFurtherCode"].flatMap {
        Self.code(try Self.text("Tests/LarderHTTPTests/\($0).swift"))
      })
    // Not the code for Apple's systems alone, and elisions.
    let elided = ["containerURL", "group.org", "..."]
    let lines = try Self.text("Sources/Larder/Larder.docc/\(article).md")
      .components(separatedBy: "```swift\n").dropFirst().map {
        $0.components(separatedBy: "```")[0]
      }
      .filter { !$0.contains("scenePhase") }.flatMap(Self.code)
      .filter { line in !line.isEmpty && !elided.contains { line.contains($0) } }
    for line in lines { #expect(own.contains(line), "not compiled: \(line)") }
    #expect(lines.count > 40)
  }

  /// The ten tasks of the article "From other libraries": task, two libraries, Larder.
  @Test func codeOfTenTasksIsCompiledAndNotLonger() throws {
    let own = Self.code(try Self.text("Tests/LarderHTTPTests/GettingStartedTests.swift"))
    let rows = Self.code(try Self.text("Sources/Larder/Larder.docc/ComingFrom.md"))
      .map { $0.replacing("\\|", with: "").split(separator: "|").map { $0.dropFirst().dropLast() } }
      .filter { $0.count == 4 && $0[3].hasPrefix("`") }
      .map { row in row.dropFirst().map { $0.filter { $0 != "`" } } }
    #expect(rows.count == 10)
    for row in rows {
      let ours = row[2]
      #expect(own.contains { $0.hasSuffix(ours) }, "not compiled: \(ours)")
      #expect(ours.count <= max(row[0].count, row[1].count), "longer than theirs: \(ours)")
    }
  }

  @Test func tenTasksWork() async throws {
    let (id, ids, user, database) = (17, [17, 18], User(id: 17), api)
    let reasons = Mutex<[MemoryRemovalReason]>([])
    @Sendable func log(_ reason: MemoryRemovalReason) { reasons.withLock { $0.append(reason) } }
    _ = try MemoryCache<Int, User>(limits: .init(count: 10_000, age: .seconds(600)))
    _ = try MemoryCache<Int, User>(limits: .init(weight: 1 << 20), weigh: { $0.bytes })
    let users =
      try MemoryCache<Int, User>(.init(limits: .init(count: 500)), onRemoval: { log($2) })
    users[id] = user
    let loaded =
      try await users.value(for: id, load: database.user)
    let team =
      try await users.values(for: ids, load: database.users)
    users.update(id) { $0?.visits += 1 }
    let visited =
      users[id]
    #expect(loaded.id == 17 && team.count == 2 && visited?.visits == 1)
    users.remove(id)
    users.remove { $1.isGuest }
    #expect(users.count == 1 && reasons.withLock { $0 } == [.replaced, .removed])
  }

  @Test func firstStepKeepsAValue() {
    let data = Data([1])
    let thumbnails = MemoryCache<String, Data>(count: 500)
    thumbnails["tea"] = data
    let thumbnail = thumbnails["tea"]
    #expect(thumbnail == data)
  }

  @Test func secondStepLoadsValues() async throws {
    let limits = MemoryCacheLimits(count: 10_000, age: .seconds(600))
    let users = try MemoryCache<Int, User>(limits: limits)
    let user = try await users.value(for: 17) { id in try await api.user(id) }
    let team = try await users.values(for: [17, 18, 19]) { ids in try await api.users(ids) }
    #expect(user.id == 17 && team.count == 3 && users.loadStatistics.started == 2)
  }

  @Test func thirdStepKeepsAnArticleOnDisk() async throws {
    let articles = try await HybridCache<String, Article>(name: "articles")
    let article = try await articles.value(for: "storm") { request in
      try await api.article(request.key)
    }
    #expect(article.title == "storm" && articles.diskCount == 1)
    try await articles.destroy()
  }

  @Test func fourthStepFailsWithoutAServer() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:1/picture"))
    let client = HTTPClient.urlSession()
    let configuration = HybridCacheConfiguration(staleIfError: .seconds(7 * 86_400))
    let pictures = try await HybridCache<URL, Picture>(
      name: "pictures", configuration: configuration, codec: .picture)
    let result = await pictures.result(for: url) { origin in
      let (data, response) = try await client.data(from: origin.key, revalidating: origin)
      return try OriginAnswer(Picture(data), response)
    }
    #expect(throws: (any Error).self) {
      let picture = try result.get()
      _ = picture
    }
    try await pictures.destroy()
  }

  @Test func fifthStepLimitsAndEmpties() async throws {
    let limited = HybridCacheConfiguration(
      memory: MemoryCacheLimits(weight: 50_000_000),
      disk: DiskLimits(count: 1_000, age: .seconds(30 * 86_400)))
    let photos = try await HybridCache<URL, Picture>(
      name: "photos", configuration: limited, codec: .picture, weigh: { $0.pixels.count })

    photos.handle(.warning)  // empties memory, as a warning of the system does
    try await photos.removeAll()  // "clear cache" in the settings
    try await photos.destroy()  // log-out: closes the cache, and removes its folder
  }
}
