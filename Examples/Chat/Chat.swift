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
    disk = DiskCache(
      try BlockingDiskCache(
        path: path,
        configuration: DiskConfiguration(
          limits: DiskLimits(bytes: 64 << 20), encryption: DiskEncryption(key: key))))
    // The same name means two things in two suites.
    let pages = HybridCacheConfiguration(
      memory: MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 50), policy: .s3FIFO),
      strategy: .cacheThenFetch, suite: "pages")
    self.pages = LoadingHybridCache(try HybridCache(configuration: pages, disk: disk)) { origin in
      let url = server.appendingPathComponent(origin.key)
      let (data, response) = try await client.data(from: url, revalidating: origin)
      return try OriginAnswer(JSONDecoder().decode(Page.self, from: data), response)
    }
    let avatars = HybridCacheConfiguration(suite: "avatars")
    self.avatars = LoadingHybridCache(try HybridCache(configuration: avatars, disk: disk)) {
      origin in
      let url = server.appendingPathComponent(origin.key)
      let (data, response) = try await client.data(from: url, revalidating: origin)
      return try OriginAnswer(data, response)
    }
  }

  /// Closes the folder, as when the app ends.
  func close() throws {
    try pages.cache.close()
    try avatars.cache.close()
    try disk.blocking.close()
  }

  /// Removes what the chat has stored, and forgets the key.
  func logOut() throws {
    try pages.cache.destroy()
    try avatars.cache.destroy()
    try disk.blocking.destroy()
  }
}
