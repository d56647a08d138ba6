import Foundation
import Larder
import LarderHTTP

struct User: Codable, Sendable, Equatable {
  var id: Int
  var name: String
}

/// Users by id: 10,000 in memory for ten minutes, reloaded in the background after one. The server
/// is asked once for all that are missing, and not again for a minute for those who do not exist.
struct UserDirectory: Sendable {
  private let cache: MemoryCache<Int, User>
  private let load: @Sendable ([Int]) async throws -> [Int: User]

  init(_ server: URL, client: HTTPClient = .urlSession()) throws {
    cache = try MemoryCache(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: 10_000, age: .seconds(600)),
        refreshAfterWrite: .seconds(60)))
    load = { ids in
      let list = ids.map(String.init).joined(separator: ",")
      let url = server.appending(queryItems: [URLQueryItem(name: "ids", value: list)])
      let users = try JSONDecoder().decode([User].self, from: try await client.data(from: url).0)
      return Dictionary(users.map { ($0.id, $0) }) { $1 }
    }
  }

  func users(_ ids: some Sequence<Int>) async throws -> [Int: User] {
    try await cache.values(for: ids, negativeLife: .seconds(60), load: load)
  }
}
