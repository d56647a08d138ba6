import Foundation
import Larder
import LarderLifecycle
import ServiceLifecycleTestKit
import Testing

@Suite struct LifecycleTests {
  @Test func aCacheIsCleanedAndThenClosed() async throws {
    let scratch = Scratch()
    let cache = try DiskCache(path: scratch.path)
    try cache.set(
      Data([1]), for: "short", options: DiskStoreOptions(timeToLive: .milliseconds(1)))
    try cache.set(Data([2]), for: "long")
    try await testGracefulShutdown { trigger in
      async let service: Void = CacheService(cache, cleaningEvery: .milliseconds(5)).run()
      while cache.count > 1 { try await Task.sleep(for: .milliseconds(5)) }
      trigger.triggerGracefulShutdown()
      try await service
    }
    #expect(throws: DiskCacheError.self) { try cache.value(for: "long") }
    let again = try DiskCache(path: scratch.path)
    #expect(try again.value(for: "long") == Data([2]))
    try again.close()
  }

  @Test func cancellationClosesToo() async throws {
    let scratch = Scratch()
    let cache = try HybridCache<String, String>(path: scratch.path)
    try cache.set("of a", for: "a")
    let task = Task { try await CacheService(cache).run() }
    task.cancel()
    try await task.value
    let again = try HybridCache<String, String>(path: scratch.path)
    #expect(try again.value(for: "a") == "of a")
    try again.close()
  }
}
