import Foundation
import Larder
import LarderHTTP

struct User: Codable, Sendable, Equatable {
  var id: Int
  var name: String
}

/// Users by id: 10,000 in memory for ten minutes, reloaded in the background after one. The server
/// is asked once for all that are missing, and not again for a minute for those who do not exist.
func userDirectory(
  _ server: URL, client: HTTPClient = .urlSession()
) throws -> LoadingMemoryCache<Int, User> {
  @Sendable func load(_ ids: [Int]) async throws -> [Int: User] {
    let list = ids.map(String.init).joined(separator: ",")
    let url = server.appending(queryItems: [URLQueryItem(name: "ids", value: list)])
    let users = try JSONDecoder().decode([User].self, from: try await client.data(from: url).0)
    return Dictionary(users.map { ($0.id, $0) }) { $1 }
  }
  return try LoadingMemoryCache(
    MemoryCacheConfiguration(
      limits: MemoryCacheLimits(count: 10_000, age: .seconds(600)), refreshAfterWrite: .seconds(60)),
    negativeLife: .seconds(60), load: { id in try await load([id])[id] }, loadAll: load)
}
