import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Listeners of a disk cache below hybrid caches, which may call these.
@Suite(.endsInTime) struct HybridDiskListenerTests {
  private let folder: ScratchFolder
  private let disk: BlockingDiskCache
  private let clock = ManualClock(seconds: 1_000)

  init() throws {
    folder = try ScratchFolder(isSmall: true)
    disk = try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(freeBytes: 0), durability: .none, inlineBytesMax: 100),
      clock: clock)
  }

  private func hybrid(_ suite: String) throws -> HybridCache<String, String> {
    var configuration = HybridCacheConfiguration()
    configuration.suite = suite
    configuration.clock = clock
    return try HybridCache(configuration: configuration, disk: DiskCache(disk))
  }

  @Test func listenerMayCallTheHybridThatCausedTheEvent() throws {
    let cache = try hybrid("")
    let heard = Locked<[String]>([])
    let token = disk.onEvent { event in
      guard case .set = event.kind else { return }
      heard.withLock { $0.append(event.key.key) }
      _ = try? cache.remove(event.key.key)
    }
    try cache.set("v", for: "k")
    #expect(try cache.value(for: "k") == nil)
    #expect(heard.withLock { $0 } == ["k"], "events of a handler go to streams only")
    token.cancel()
    try cache.set("v", for: "k")
    #expect(try cache.value(for: "k") == "v")
  }

  /// Each of the calls has events of the disk and holds one stripe or all.
  @Test func everyCallReleasesItsLocksBeforeListeners() async throws {
    let cache = try hybrid("")
    let calls = Locked(0)
    let token = disk.onEvent { _ in
      calls.withLock { $0 += 1 }
      // Locks one stripe, all stripes, and the disk cache.
      _ = try? cache.set("x", for: "a")
      _ = try? cache.trim(toAge: .seconds(1_000_000))
      _ = cache.readStatistics()
    }
    func check(_ name: String, _ body: () async throws -> Void) async throws {
      for key in ["a", "b", "c"] {
        try await cache.set("v", for: key, options: DiskStoreOptions(timeToLive: .seconds(60)))
      }
      let before = calls.withLock { $0 }
      try await body()
      #expect(calls.withLock { $0 } > before, "\(name)")
    }
    try await check("set") { try cache.set("v", for: "a") }
    try await check("get") {
      cache.handle(.critical)
      _ = try cache.value(for: "b")
    }
    try await check("request") { _ = try await cache.value(for: "new") { _ in "w" } }
    try await check("remove") { try cache.remove("a") }
    try await check("remove where") { try cache.remove { _ in true } }
    try await check("removeExpired") {
      clock.advance(seconds: 100_000_000)
      try cache.removeExpired()
    }
    try await check("trim to age") {
      clock.advance(seconds: 30)
      try cache.trim(toAge: .seconds(10))
    }
    try await check("trim disk") { try cache.trimDisk(toCount: 0) }
    try await check("removeAll") { try cache.removeAll() }
    token.cancel()
  }

  @Test func hybridsOnOneDiskDoNotLockEachOther() throws {
    let caches = try ["one", "other"].map { try hybrid($0) }
    let token = disk.onEvent { event in
      guard case .set = event.kind else { return }
      _ = try? caches[event.key.suite == "one" ? 1 : 0].remove(event.key.key)
    }
    DispatchQueue.concurrentPerform(iterations: 4) { index in
      for _ in 0..<500 { _ = try? caches[index % 2].set("v", for: "k") }
    }
    let sets = caches.map { $0.readStatistics().disk?.admissions ?? 0 }
    #expect(sets.allSatisfy { $0 > 0 })
    token.cancel()
  }

  /// Events are delivered when the call returns, and a hybrid hears those of its suite in order.
  @Test func eventsOfAHybridsCallReachAllListeners() throws {
    let cache = try hybrid("s")
    let told = Locked<[String]>([])
    let tokens = [
      disk.onEvent { event in
        told.withLock { $0.append("disk \(event.kind)") }
      },
      cache.onEvent { event in
        if event.tier == .disk { told.withLock { $0.append("hybrid \(event.kind)") } }
      },
    ]
    try cache.set("v", for: "k")
    try cache.remove("k")
    #expect(
      told.withLock { $0 } == ["disk set", "hybrid set", "disk remove", "hybrid remove"])
    for token in tokens { token.cancel() }
  }
}
