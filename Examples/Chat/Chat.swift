import Foundation
import Larder
import LarderHTTP

struct Page: Codable, Sendable, Equatable {
  var messages: [String]
}

/// One user's chat: pages and pictures in one encrypted folder, which is gone once they log out.
struct Chat: Sendable {
  let pages: LoadingHybridCache<String, Page>
  let avatars: LoadingHybridCache<String, Data>
  private let disk: DiskCache

  /// - Parameter key: The user's key, 32 bytes from the system's keychain.
  init(path: URL, key: Data, server: URL, client: HTTPClient = .urlSession()) throws {
    @Sendable func load(
      _ origin: OriginRequest<String>
    ) async throws -> (Data, HTTPURLResponse) {
      let url = server.appendingPathComponent(origin.key)
      return try await client.data(for: URLRequest(url: url).revalidating(origin))
    }
    disk = try DiskCache(
      path: path,
      configuration: DiskConfiguration(
        limits: DiskLimits(bytes: 64 << 20), encryption: DiskEncryption(key: key)))
    // The same name means two things in two suites.
    pages = try LoadingHybridCache(
      configuration: HybridCacheConfiguration(
        memory: MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 50), policy: .s3FIFO),
        strategy: .cacheThenFetch, suite: "pages"), disk: disk
    ) { origin in
      let (data, response) = try await load(origin)
      return try OriginAnswer(JSONDecoder().decode(Page.self, from: data), response)
    }
    avatars = try LoadingHybridCache(
      configuration: HybridCacheConfiguration(suite: "avatars"), disk: disk
    ) { origin in
      let (data, response) = try await load(origin)
      return try OriginAnswer(data, response)
    }
  }

  /// Removes what the chat has stored, and forgets the key.
  func logOut() throws {
    try pages.cache.destroy()
    try avatars.cache.destroy()
    try disk.destroy()
  }
}
