import Foundation
import Larder

/// The code of the article "Going further", which `GettingStartedTests` compares with it.
private enum GoingFurtherCode {
  struct User: Sendable {
    typealias ID = Int
  }
  struct Article: Codable, Sendable {}
  struct Team { var members: [Int] }
  struct Response {
    var statusCode: Int
    var etag: String?
    var maxAge: Duration?
  }
  struct API: Sendable {
    func user(_ id: Int) async throws -> User { User() }
    func users(_ ids: [Int]) async throws -> [Int: User] { [:] }
    func articles(_ ids: [String]) async throws -> [String: Article] { [:] }
  }

  static func memory(_ id: Int, _ api: API) async throws {
    let cache = try MemoryCache<User.ID, User>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 10_000, age: .seconds(600)),
        refreshAfterWrite: .seconds(60), staleWhileRevalidate: .seconds(300)))

    let user = try await cache.value(for: id) { id in try await api.user(id) }
    _ = user
  }

  static func several(
    _ users: MemoryCache<Int, User>, _ articles: HybridCache<String, Article>, _ team: Team,
    _ ids: [String], _ database: API, _ api: API
  ) async throws {
    let members = try await users.values(for: team.members, negativeLife: .seconds(30)) { missing in
      try await database.users(missing)
    }
    let many = try await articles.values(for: ids) { missing in try await api.articles(missing) }
    _ = (members, many)
  }

  static func versions(
    _ cache: HybridCache<String, Article>, _ id: String, _ url: URL,
    _ decode: @escaping @Sendable (Data) throws -> Article
  ) async {
    @Sendable func get(_ url: URL, ifNoneMatch: String?) async throws -> (Data, Response) {
      (Data(), Response(statusCode: 304))
    }
    let result = await cache.result(for: id) { request in
      let (data, response) = try await get(url, ifNoneMatch: request.version)
      switch response.statusCode {
      case 304: return .notModified(maxAge: response.maxAge)
      case 404, 410: return .absent
      default:
        return .value(
          try decode(data), version: response.etag, maxAge: response.maxAge)
      }
    }
    _ = result
  }

  static func limits() {
    let configuration = HybridCacheConfiguration(
      memory: MemoryCacheLimits(weight: 50 << 20), disk: DiskLimits(count: 1_000),
      staleIfError: .seconds(86_400))
    _ = configuration
  }

  static func tiers(_ folder: String) async throws {
    var configuration = HybridCacheConfiguration()
    configuration.memory = MemoryTier(
      limits: MemoryCacheLimits(count: 100, age: .seconds(300)), policy: .s3FIFO)
    configuration.disk = DiskConfiguration(
      limits: DiskLimits(bytes: 500 << 20, age: .seconds(30 * 86_400)))
    let cache = try await HybridCache<String, Article>(path: folder, configuration: configuration)
    _ = cache
  }

  static func change(
    _ memory: MemoryCache<String, Int>, _ disk: DiskCache, _ hybrid: HybridCache<String, Article>
  ) async throws {
    try memory.setLimits(MemoryCacheLimits(count: 500))
    try disk.blocking.setLimits(DiskLimits(bytes: 50 << 20))
    try await hybrid.setDiskLimits(DiskLimits(bytes: 50 << 20))
    let largest = memory.entries.max { $0.weight < $1.weight }
    memory.remove { key, _ in key.hasPrefix("user/17/") }
    _ = largest
  }

  static func lookUp(
    _ cache: HybridCache<String, Article>, _ pictures: HybridCache<URL, Data>, _ disk: DiskCache,
    _ id: String, _ url: URL,
    _ load: (OriginRequest<String>) async throws -> OriginAnswer<Article>
  ) async throws {
    if let hit = try await cache.entry(for: id) { print(hit.value, hit.tier, hit.created) }
    let picture = pictures.valueInMemory(for: url)
    let answer = try await load(OriginRequest(key: "17", version: "etag-1"))
    try await cache.remove { $0.name.key.hasPrefix("user/17/") }
    var entries = disk.blocking.entries()
    while let entry = try entries.next() { print(entry.name.key, entry.metadata.created) }
    _ = (picture, answer)
  }

  static func share(_ container: URL, _ id: String) async throws {
    let folder = container.appending(path: "Library/Caches/articles")

    var configuration = HybridCacheConfiguration()
    configuration.disk = DiskConfiguration(isShared: true)
    let cache = try await HybridCache<String, Article>(path: folder, configuration: configuration)

    let reader = try DiskCacheReader(path: folder)
    let article = try reader.value(for: id, codec: DiskCodec<Article>.standard)
    _ = (cache, article)
  }

  static func maintain(_ cache: HybridCache<String, Article>) async throws {
    cache.handle(.warning)
    try await cache.removeExpired()
    let freed = try await cache.removeAll()
    try await cache.close()
    try await cache.destroy()
    _ = freed
  }
}
