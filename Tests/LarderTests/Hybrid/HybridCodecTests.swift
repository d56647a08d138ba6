import Foundation
import Testing

@testable import Larder

/// Choice of the codec; bytes of one codec never become values of another.
@Suite struct HybridCodecTests {
  let folder: ScratchFolder
  init() throws { folder = try ScratchFolder() }

  private let image = Data((0..<(16 << 10)).map { UInt8(truncatingIfNeeded: $0 &* 31) })

  @Test func bytesAreStoredAsTheyAre() throws {
    let cache = try HybridCache<String, Data>(path: folder.path)
    try cache.set(image, for: "a")
    #expect(cache.diskValueBytes == 16 << 10)
    #expect(cache.readStatistics().disk?.weight == 16 << 10)
    try cache.close()
    let byPath = try HybridCache<String, Data>(path: folder.path)
    #expect(try byPath.entry(for: "a")?.value == image)
    try byPath.close()
  }

  /// The type may be known only by an alias.
  @Test func theTypeOfTheValuesDecides() throws {
    func made<Value: Codable & Sendable>(_ value: Value) throws -> UInt64 {
      let folder = try ScratchFolder()
      let cache = try HybridCache<String, Value>(path: folder.path)
      try cache.set(value, for: "a")
      return cache.diskValueBytes
    }
    #expect(try made(image) == 16 << 10)
    #expect(try made("\"äh\"") == 5)
    #expect(try made(["a": 1]) == 7)
  }

  @Test func theBytesOfAnotherCodecAreNeverAValue() throws {
    let first = try HybridCache<String, Data>(path: folder.path, codec: .json)
    try first.set(image, for: "a")
    try first.close()
    var careful = HybridCacheConfiguration()
    careful.disk?.troubleHandling = .fail
    let second = try? HybridCache<String, Data>(
      path: folder.path, configuration: careful, codec: .data)
    #expect((try? second?.entry(for: "a")?.value) == nil)
    try second?.close()
    // The right codec finds everything.
    let third = try HybridCache<String, Data>(path: folder.path, codec: .json)
    #expect(try third.entry(for: "a")?.value == image)
    try third.close()
    let fourth = try HybridCache<String, Data>(path: folder.path, codec: .data)
    #expect(try fourth.entry(for: "a") == nil)
  }

  @Test func suitesAreCheckedOneByOne() throws {
    let disk = try BlockingDiskCache(
      path: folder.path, configuration: DiskConfiguration(troubleHandling: .fail))
    try DiskSuite<String>(disk, name: "s", codec: .json).set("x", for: "a")
    let text = DiskSuite<String>(disk, name: "s", codec: .text)
    #expect((try? text.value(for: "a")) == nil)
    #expect(throws: DiskCacheError.self) { try text.set("y", for: "b") }
    let other = DiskSuite<String>(disk, name: "t", codec: .text)
    try other.set("y", for: "a")
    #expect(try other.value(for: "a") == "y")
    // An empty suite accepts any codec.
    try disk.removeAll(suite: "s")
    try text.set("y", for: "b")
    #expect(try text.value(for: "b") == "y")
  }

  @Test func invalidUTF8IsNotDecoded() throws {
    let disk = try BlockingDiskCache(path: folder.path)
    try disk.set(Data([0xFF, 0xFE]), for: "a")
    let cache = try HybridCache<String, String>(
      configuration: HybridTestCaches.configuration(), disk: DiskCache(disk))
    #expect(try cache.entry(for: "a") == nil)
  }
}
