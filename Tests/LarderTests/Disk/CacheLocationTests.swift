import Foundation
import TestSupport
import Testing

@testable import Larder

/// Folders of caches: paths, URLs and names.
@Suite(.endsInTime) struct CacheLocationTests {
  @Test(
    arguments: [
      ([:], "/h/a", "/h/a/.cache"), (["XDG_CACHE_HOME": "/var/c/"], "/h/a", "/var/c"),
      // The specification has relative paths ignored.
      (["XDG_CACHE_HOME": "c"], "/h/a/", "/h/a/.cache"),
      (["XDG_CACHE_HOME": ""], "/r", "/r/.cache"),
    ] as [([String: String], String, String)])
  func systemFolderFollowsTheSpecification(
    _ environment: [String: String], _ home: String, _ folder: String
  ) throws {
    #expect(try CachesFolder.system(environment, home: home) == folder)
  }

  @Test func missingHomeIsAnError() {
    #expect(throws: DiskCacheError.self) { try CachesFolder.system([:], home: "") }
  }

  @Test(arguments: ["", ".", "..", "a/b", "/a", "a\u{0}b", String(repeating: "a", count: 256)])
  func namesOfOtherFoldersAreErrors(_ name: String) async {
    #expect(throws: DiskCacheError.self) { try BlockingDiskCache(name: name) }
    await #expect(throws: DiskCacheError.self) { try await DiskCache(name: name) }
    await #expect(throws: HybridCacheError.self) {
      try await HybridCache<String, Int>(name: name)
    }
  }

  /// Each cache finds the values of the one before it, however the folder is named.
  @Test func namePathAndURLLeadToOneFolder() async throws {
    let name = "larder-tests-" + UUID().uuidString
    let path = try CachesFolder.path(name: name)
    let cache = try await HybridCache<String, Int>(name: name)
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(FileManager.default.fileExists(atPath: path + "/index.sqlite"))
    try await cache.set(1, for: "a")
    try await cache.close()
    let byPath = try await HybridCache<String, Int>(path: path)
    #expect(try await byPath.value(for: "a") == 1)
    try await byPath.close()
    let byURL = try await HybridCache<String, Int>(path: URL(fileURLWithPath: path))
    #expect(try await byURL.value(for: "a") == 1)
    try await byURL.close()
    let disk = try await DiskCache(name: name)
    #expect(await disk.count == 1)
    try await disk.destroy()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func locationThatIsNoFileIsAnError() async throws {
    let url = try #require(URL(string: "https://example.com/a"))
    #expect(throws: DiskCacheError.self) { try BlockingDiskCache(path: url) }
    #expect(throws: HybridCacheError.self) { try HybridCache<String, Int>(path: url) }
    await #expect(throws: DiskCacheError.self) { try await DiskCache(path: url) }
  }

  @Test func limitsAloneMakeAConfiguration() throws {
    let folder = try ScratchFolder(isSmall: true)
    let cache = try HybridCache<String, Int>(
      path: folder.path,
      configuration: HybridCacheConfiguration(
        memory: MemoryCacheLimits(weight: 50 << 20), disk: DiskLimits(count: 1_000),
        staleIfError: .seconds(60)))
    #expect(cache.memory?.limits.weight == 50 << 20)
    #expect(cache.disk?.limits.count == 1_000 && cache.disk?.limits.bytes == nil)
    #expect(cache.configuration.staleIfError == .seconds(60))
  }

  /// Backup and protection are attributes of Apple's file systems, and of no effect on others.
  @Test(arguments: DiskFileProtection.allCases)
  func attributesOfTheFolderLetTheCacheWork(_ protection: DiskFileProtection) throws {
    let folder = try ScratchFolder(isSmall: true)
    let configuration = DiskConfiguration(
      inlineBytesMax: 10, isExcludedFromBackup: true, fileProtection: protection)
    for number in 0..<2 {
      let cache = try BlockingDiskCache(path: folder.path, configuration: configuration)
      #expect(try cache.value(for: "a") == (number == 0 ? nil : Data(count: 100)))
      try cache.set(Data(count: 100), for: "a")
      try cache.close()
    }
  }
}
