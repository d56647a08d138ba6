import Foundation
import TestSupport
import Testing

@testable import DiskCacheVictim
@testable import Larder

/// `suspend` and `resume`: nothing is open or locked in between.
@Suite(.endsInTime) struct DiskSuspendTests {
  private let folder: ScratchFolder
  private let path: String
  private let configuration = DiskConfiguration(
    limits: DiskLimits(freeBytes: 0), inlineBytesMax: 100)

  init() throws {
    folder = try ScratchFolder(isSmall: true)
    path = folder.path + "/cache"
  }

  #if os(Linux)
    private func openFiles() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
      }.filter { $0.hasPrefix(path + "/") && $0 != path + "/files" }
    }

    @Test(arguments: DiskDurability.allCases, [true, false])
    func filesAreClosed(_ durability: DiskDurability, isShared: Bool) throws {
      if isShared, durability == .none { return }
      var configuration = configuration
      (configuration.durability, configuration.isShared) = (durability, isShared)
      let cache = try BlockingDiskCache(path: path, configuration: configuration)
      for number in 0..<100 { try cache.set(Data(count: number * 5), for: "\(number)") }
      for number in 0..<100 { _ = try cache.value(for: "\(number)") }
      #expect(try openFiles().count > 1)
      try cache.suspend()
      #expect(try openFiles().isEmpty)
      try cache.resume()
      #expect(try openFiles().count > 1)
      for number in 0..<100 { #expect(try cache.value(for: "\(number)")?.count == number * 5) }
    }
  #endif

  @Test func callsFailUntilResume() throws {
    let cache = try BlockingDiskCache(path: path, configuration: configuration)
    try cache.set(Data("old".utf8), for: "a")
    try cache.set(Data("old".utf8), for: "b")
    try cache.set(Data("old".utf8), for: "c")
    try cache.suspend()
    try cache.suspend()
    let error = DiskCacheError.suspended(path: path)
    #expect(throws: error) { try cache.value(for: "a") }
    #expect(throws: error) { try cache.contains("a") }
    #expect(throws: error) { try cache.contains("a", suite: "unknown") }
    #expect(throws: error) { try cache.flush() }
    #expect(throws: error) { try cache.set(Data("new".utf8), for: "a") }
    #expect(throws: error) { try cache.remove("b") }
    #expect(throws: error) { try cache.keys() }
    #expect(throws: error) { try cache.trim(toCount: 0) }
    #expect(cache.count == 3)
    try cache.resume()
    // As after any other failed set or removal.
    #expect(try cache.value(for: "a") == nil && cache.value(for: "b") == nil)
    #expect(try cache.value(for: "c") == Data("old".utf8))
    try cache.resume()
    #expect(cache.statistics.damages == 0 && cache.damage == nil)
  }

  @Test func anotherProcessMayUseTheFolderMeanwhile() throws {
    let cache = try BlockingDiskCache(path: path, configuration: configuration)
    try cache.set(Data("old".utf8), for: "key 1")
    try cache.suspend()
    let owner = try OwnerProcess(folder: path, "normal")
    try #require(owner.answer == "open")
    #expect(try owner("set 1 5") == "ok" && owner("set 2 6") == "ok")
    #expect(throws: DiskCacheError.inUse(path: path)) { try cache.resume() }
    #expect(throws: DiskCacheError.inUse(path: path)) { try cache.value(for: "key 1") }
    #expect(try owner("close") == "ok")
    for key in 1...2 {
      let value = try #require(try cache.value(for: "key \(key)"))
      #expect(VictimValue.version(of: value, key: key) == UInt64(key + 4))
    }
  }

  @Test func suspendedCacheIsClosedAndDestroyed() throws {
    let cache = try BlockingDiskCache(path: path, configuration: configuration)
    try cache.set(Data("1".utf8), for: "a")
    try cache.set(Data("2".utf8), for: "b")
    try cache.suspend()
    _ = try? cache.remove("a")
    try cache.close()
    #expect(throws: DiskCacheError.closed(path: path)) { try cache.suspend() }
    #expect(throws: DiskCacheError.closed(path: path)) { try cache.resume() }
    let second = try BlockingDiskCache(path: path, configuration: configuration)
    #expect(try second.value(for: "a") == nil && second.value(for: "b") == Data("2".utf8))
    try second.suspend()
    try second.destroy()
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func folderRemovedMeanwhileIsCreated() throws {
    let cache = try BlockingDiskCache(path: path, configuration: configuration)
    try cache.set(Data("1".utf8), for: "a")
    try cache.suspend()
    try FileManager.default.removeItem(atPath: path)
    try cache.resume()
    #expect(try cache.value(for: "a") == nil)
    #expect(try cache.set(Data("2".utf8), for: "a") && cache.value(for: "a") == Data("2".utf8))
  }

  @Test func ownerThatIsSuspendedIsRead() throws {
    let owner = try OwnerProcess(folder: path)
    try owner("set 1 5")
    #expect(try owner("suspend") == "ok")
    let reader = try DiskCacheReader(path: path)
    #expect(try reader.value(for: "key 1") == VictimValue.make(key: 1, version: 5))
    #expect(try owner("resume") == "ok" && owner("set 1 6") == "ok")
    #expect(try reader.value(for: "key 1") == VictimValue.make(key: 1, version: 6))
  }

  @Test func hybridKeepsMemoryAndAsksTheOrigin() async throws {
    var configuration = HybridCacheConfiguration()
    configuration.disk = self.configuration
    let cache = try await HybridCache<String, String>(path: path, configuration: configuration)
    try await cache.set("1", for: "a")
    try await cache.suspend()
    #expect(try await cache.value(for: "a") == "1")
    // The origin answers in place of the disk.
    #expect(try await cache.value(for: "b") { _ in "2" } == "2")
    cache.trimMemory(toCount: 0)
    #expect(throws: HybridCacheError.self) { try cache.value(for: "a") }
    // Not acknowledged, and the value before it is gone.
    #expect(throws: HybridCacheError.self) { try cache.set("2", for: "a") }
    try await cache.resume()
    #expect(try await cache.value(for: "a") == "2")
    cache.trimMemory(toCount: 0)
    #expect(try await cache.value(for: "a") == nil)
    try await cache.close()
  }
}
