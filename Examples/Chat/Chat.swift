import Foundation
import Larder
import LarderHTTP

struct Page: Codable, Sendable, Equatable {
  var messages: [String]
}

/// One user's chat: pages and pictures in one encrypted folder, which is gone once they log out.
struct Chat: Sendable {
  private let pages: HybridCache<String, Page>
  private let avatars: HybridCache<String, Data>
  private let disk: DiskCache
  private let server: URL
  private let client: HTTPClient

  /// - Parameter key: The user's key, 32 bytes from the system's keychain.
  init(path: URL, key: Data, server: URL, client: HTTPClient = .urlSession()) async throws {
    self.server = server
    self.client = client
    disk = try await DiskCache(
      path: path,
      configuration: DiskConfiguration(
        limits: DiskLimits(bytes: 64 << 20), encryption: DiskEncryption(key: key)))
    // The same name means two things in two suites.
    let memory = MemoryTier(limits: MemoryCacheLimits(count: 50), policy: .s3FIFO)
    pages = try await HybridCache(
      configuration: HybridCacheConfiguration(
        memory: memory, strategy: .cacheThenFetch, suite: "pages"),
      disk: disk)
    avatars = try await HybridCache(
      configuration: HybridCacheConfiguration(suite: "avatars"), disk: disk)
  }

  func page(_ name: String) async throws -> Page? {
    try await pages.result(for: name) { origin in
      let url = server.appendingPathComponent(origin.key)
      let (data, response) = try await client.data(from: url, revalidating: origin)
      return try OriginAnswer(JSONDecoder().decode(Page.self, from: data), response)
    }.get()
  }

  func avatar(_ name: String) async throws -> Data? {
    try await avatars.result(for: name) { origin in
      let url = server.appendingPathComponent(origin.key)
      let (data, response) = try await client.data(from: url, revalidating: origin)
      return try OriginAnswer(data, response)
    }.get()
  }

  /// Closes the folder, as when the app ends.
  func close() async throws {
    try await pages.close()
    try await avatars.close()
    try await disk.close()
  }

  /// Removes what the chat has stored, and forgets the key.
  func logOut() async throws {
    try await pages.destroy()
    try await avatars.destroy()
    try await disk.destroy()
  }
}
