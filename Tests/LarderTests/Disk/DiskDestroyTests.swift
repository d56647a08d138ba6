import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// `destroy`: the cache's own files are removed, and nothing else.
@Suite(.endsInTime) struct DiskDestroyTests {
  private let folder: ScratchFolder
  private let path: String
  private let manager = FileManager.default

  init() throws {
    folder = try ScratchFolder(isSmall: true)
    path = folder.path + "/cache"
  }

  private func configuration(
    _ segmentBytes: Int? = nil, _ durability: DiskDurability = .normal
  ) -> DiskConfiguration {
    DiskConfiguration(
      limits: DiskLimits(freeBytes: 0), durability: durability, inlineBytesMax: 100,
      segmentBytes: segmentBytes)
  }

  private func fill(_ cache: BlockingDiskCache) throws {
    for number in 0..<100 {
      try cache.set(Data(count: number * 20), for: "\(number)", suite: number % 2 == 0 ? "" : "s")
    }
    for number in 0..<10 { _ = try cache.value(for: "\(number * 2)") }
    try cache.flush()
  }

  @Test(arguments: [nil, 16 << 10], DiskDurability.allCases)
  func filesAndFolderAreGone(_ segmentBytes: Int?, _ durability: DiskDurability) throws {
    let configuration = configuration(segmentBytes, durability)
    let cache = try BlockingDiskCache(path: path, configuration: configuration)
    try fill(cache)
    try cache.destroy()
    #expect(!manager.fileExists(atPath: path))
    #expect(throws: DiskCacheError.closed(path: path)) { try cache.value(for: "2") }
    #expect(throws: DiskCacheError.closed(path: path)) { try cache.set(Data(), for: "2") }
    #expect(throws: DiskCacheError.closed(path: path)) { try cache.flush() }
    // A second call and `close` have nothing to do.
    try cache.destroy()
    try cache.close()
    let again = try BlockingDiskCache(path: path, configuration: configuration)
    #expect(again.count == 0 && again.statistics.damages == 0 && again.damage == nil)
  }

  @Test func closedCacheIsDestroyed() throws {
    let cache = try BlockingDiskCache(path: path, configuration: configuration())
    try fill(cache)
    try cache.close()
    let other = try BlockingDiskCache(path: path)
    #expect(throws: DiskCacheError.inUse(path: path)) { try cache.destroy() }
    #expect(other.count == 100)
    try other.close()
    try cache.destroy()
    #expect(!manager.fileExists(atPath: path))
  }

  @Test func filesOfOthersStay() throws {
    let cache = try BlockingDiskCache(path: path, configuration: configuration())
    try fill(cache)
    try? manager.createDirectory(atPath: path + "/files/05", withIntermediateDirectories: true)
    try manager.createDirectory(atPath: path + "/damaged/7", withIntermediateDirectories: true)
    let outside = folder.path + "/outside"
    try Data("x".utf8).write(to: URL(fileURLWithPath: outside))
    let others = [
      "/notes.txt", "/files/notes.txt", "/files/05/notes", "/files/s", "/damaged/7/notes",
      "/files/05/+5", "/index.sqlite.bak",
    ]
    for name in others { try Data("x".utf8).write(to: URL(fileURLWithPath: path + name)) }
    try manager.createSymbolicLink(atPath: path + "/files/sff", withDestinationPath: outside)
    try cache.destroy()
    let left = try manager.subpathsOfDirectory(atPath: path).map { "/" + $0 }
    let folders: Set = ["/files", "/files/05", "/damaged", "/damaged/7"]
    #expect(Set(left) == Set(others).union(folders).union(["/files/sff"]))
    #expect(manager.fileExists(atPath: outside))
  }

  @Test func databasesSetAsideAreRemoved() throws {
    try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
    try Data(repeating: 7, count: 5_000).write(to: URL(fileURLWithPath: path + "/index.sqlite"))
    let cache = try BlockingDiskCache(path: path, configuration: configuration())
    #expect(cache.damage != nil)
    try cache.destroy()
    #expect(!manager.fileExists(atPath: path))
  }

  @Test(arguments: [true, false])
  func folderThatWasReplacedIsNotTouched(isMoved: Bool) throws {
    let cache = try BlockingDiskCache(path: path, configuration: configuration())
    try fill(cache)
    try manager.moveItem(atPath: path, toPath: path + ".moved")
    if !isMoved {
      let other = try BlockingDiskCache(path: path, configuration: configuration())
      try fill(other)
      try cache.destroy()
      #expect(try other.value(for: "50") == Data(count: 1_000))
    } else {
      try cache.destroy()
      #expect(!manager.fileExists(atPath: path))
    }
    #expect(manager.fileExists(atPath: path + ".moved/index.sqlite"))
  }

  /// Removals of files fail from some call on; the rest is still removed, and the folder can be
  /// opened, and destroyed by a second call.
  @Test(arguments: [nil, 16 << 10], ["remove", "list", "kind"])
  func failureHalfWayLeavesAFolderThatOpens(_ segmentBytes: Int?, _ call: String) throws {
    let configuration = configuration(segmentBytes)
    for allowed in [0, 1, 3, 10, 40] {
      let files = FaultyFiles()
      let cache = try BlockingDiskCache(
        path: path, configuration: configuration, clock: SystemCacheClock.wall(), files: files)
      try fill(cache)
      files.failsAfter(allowed, call)
      let isComplete = (try? cache.destroy()) != nil
      files.set { $0.calls = [] }
      #expect(throws: DiskCacheError.closed(path: path)) { try cache.value(for: "2") }
      #expect(manager.fileExists(atPath: path) == !isComplete)
      let again = try BlockingDiskCache(path: path, configuration: configuration)
      // A value is whole or gone, and new ones are stored.
      for number in 0..<100 {
        let value = try again.value(for: "\(number)", suite: number % 2 == 0 ? "" : "s")
        #expect(value == nil || value == Data(count: number * 20))
      }
      #expect(try again.set(Data(count: 3_000), for: "new"))
      try again.close()
      try cache.destroy()
      #expect(!manager.fileExists(atPath: path))
    }
  }

  @Test func encryptionKeyIsForgotten() throws {
    #if Encryption
      var configuration = configuration()
      configuration.encryption = try DiskEncryption(key: Data(repeating: 9, count: 32))
      let cache = try BlockingDiskCache(path: path, configuration: configuration)
      try fill(cache)
      #expect(cache.withLock { $0.configuration.encryption } != nil)
      try cache.destroy()
      #expect(cache.withLock { $0.configuration.encryption } == nil)
      #expect(cache.withLock { $0.index == nil })
      let hybrid = try HybridCache<String, Int>(
        path: path, configuration: HybridCacheConfiguration(disk: configuration))
      #expect(hybrid.configuration.disk?.encryption == nil)
      try hybrid.set(3, for: "a")
      try hybrid.destroy()
      #expect(hybrid.disk?.withLock { $0.configuration.encryption } == nil)
      #expect(!manager.fileExists(atPath: path))
    #endif
  }
}
