import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// The end of a hybrid cache: `close` and `destroy`.
@Suite(.endsInTime) struct HybridDestroyTests {
  private let folder: ScratchFolder
  private let path: String

  init() throws {
    folder = try ScratchFolder(isSmall: true)
    path = folder.path + "/cache"
  }

  private func check(isClosed cache: HybridCache<String, Int>) async throws {
    #expect(cache.memoryCount == 0)
    #expect(throws: HybridCacheError.self) { try cache.set(1, for: "a") }
    #expect(throws: HybridCacheError.self) { try cache.value(for: "a") }
    #expect(try await cache.value(for: "a") { _ in 9 } == 9)
    #expect(cache.memoryCount == 0)
  }

  @Test func destroyingEmptiesBothTiers() async throws {
    let cache = try await HybridCache<String, Int>(
      path: path, configuration: HybridTestCaches.configuration())
    for number in 0..<6 { try await cache.set(number, for: "\(number)") }
    try await cache.destroy()
    #expect(!FileManager.default.fileExists(atPath: path))
    try await check(isClosed: cache)
    try await cache.destroy()
    try await cache.close()
    let again = try await HybridCache<String, Int>(
      path: path, configuration: HybridTestCaches.configuration())
    #expect(again.diskCount == 0)
  }

  /// On a shared disk cache only the suite is removed, after `close` as well, unless it is in use.
  @Test(arguments: [true, false]) func sharedDiskLosesTheSuite(isClosed: Bool) throws {
    let disk = try BlockingDiskCache(path: path)
    func open(_ suite: String) throws -> HybridCache<String, Int> {
      var configuration = HybridTestCaches.configuration()
      configuration.suite = suite
      return try HybridCache(configuration: configuration, disk: DiskCache(disk))
    }
    let (one, other) = (try open("one"), try open("other"))
    try one.set(1, for: "a")
    try other.set(2, for: "a")
    if isClosed {
      try one.close()
      let again = try open("one")
      #expect(throws: HybridCacheError.self) { try one.destroy() }
      #expect(try again.value(for: "a") == 1)
      try again.close()
    }
    try one.destroy()
    #expect(try disk.suites().map(\.name) == ["", "other"])
    #expect(try other.value(for: "a") == 2)
    #expect(try open("one").value(for: "a") == nil)
  }

  @Test func failedDestructionIsRepeated() throws {
    let files = FaultyFiles()
    let cache = try HybridCache<String, Int>(
      path: path, configuration: HybridTestCaches.configuration(), codec: .standard, files: files)
    try cache.set(1, for: "a")
    files.set { $0.calls = ["remove"] }
    #expect(throws: HybridCacheError.self) { try cache.destroy() }
    #expect(cache.memoryCount == 0)
    files.set { $0.calls = [] }
    try cache.destroy()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func memoryAloneIsDestroyed() async throws {
    let cache = try await HybridCache<String, Int>(
      configuration: HybridTestCaches.configuration(disk: nil))
    try await cache.set(1, for: "a")
    try await cache.destroy()
    try await check(isClosed: cache)
  }
}
