import Foundation
import Testing

@testable import Larder

/// Errors for a suite that holds values of another codec.
@Suite struct HybridCodecErrorTests {
  let folder: ScratchFolder
  init() throws { folder = try ScratchFolder() }

  @Test(arguments: [false, true])
  func theErrorNamesBothCodecs(isEncrypted: Bool) throws {
    var configuration = HybridTestCaches.configuration()
    configuration.suite = "images"
    if isEncrypted {
      configuration.disk?.encryption = try DiskEncryption(key: Data(repeating: 3, count: 32))
    }
    let first = try HybridCache<String, Data>(path: folder.path, configuration: configuration)
    try first.set(Data([1, 2]), for: "a", options: DiskStoreOptions(isPermanent: true))
    try first.close()
    let codec = DiskCodec<Data>(identity: "gzip", encode: { $0 }, decode: { $0 })
    let error = #expect(throws: HybridCacheError.self) {
      try HybridCache<String, Data>(
        path: folder.path, configuration: configuration, codec: codec)
    }
    guard case .disk(.codecMismatch(suite: "images", stored: "data", given: "gzip")) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    // The folder was released, and can be prepared for the other codec.
    let disk = try BlockingDiskCache(
      path: folder.path, configuration: try #require(configuration.disk), clock: configuration.clock
    )
    try disk.removeAll(suite: "images", includingPermanent: true)
    let second = try HybridCache<String, Data>(
      configuration: configuration, disk: DiskCache(disk), codec: codec)
    try second.set(Data([3]), for: "b")
    try second.close()
    try disk.close()
    let third = try HybridCache<String, Data>(
      path: folder.path, configuration: configuration, codec: codec)
    #expect(try third.entry(for: "b")?.value == Data([3]))
  }

  /// A damaged record of a codec does not make its suite unusable.
  @Test func damagedCodecRecordIsIgnored() throws {
    let first = try HybridCache<String, Data>(path: folder.path)
    try first.set(Data([1]), for: "a")
    try first.close()
    do {
      let index = try #require(
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
          .first { $0.hasSuffix(".sqlite") })
      let connection = try SQLiteConnection(
        path: folder.path + "/" + index, busyMilliseconds: 0, layer: nil)
      try connection.execute(
        "UPDATE facts SET value = replace(value, 'data', 'dat!') WHERE name LIKE 'codec %'")
    }
    for _ in 0..<2 {
      let again = try HybridCache<String, Data>(path: folder.path)
      #expect(try again.entry(for: "a")?.value == Data([1]))
      try again.set(Data([2]), for: "b")
      try again.close()
    }
    var configuration = HybridCacheConfiguration()
    configuration.disk?.troubleHandling = .fail
    #expect(throws: HybridCacheError.self) {
      try HybridCache<String, Data>(
        path: folder.path, configuration: configuration, codec: .json)
    }
  }

  @Test func codecsHaveIdentities() {
    #expect(DiskCodec<Data>.standard.identity == "data")
    #expect(DiskCodec<String>.standard.identity == "text")
    #expect(DiskCodec<[Int]>.standard.identity == "json Swift.Array<Swift.Int>")
    #expect(DiskCodec<[Int]>.propertyList.identity == "property-list Swift.Array<Swift.Int>")
    struct Local: Codable {}
    // No address, which would differ between builds.
    #expect(
      DiskCodec<[Local]>.json.identity
        == "json Swift.Array<LarderTests.HybridCodecErrorTests.Local>")
    let custom = DiskCodec<Int>(encode: { _ in Data() }, decode: { _ in 0 })
    #expect(custom.identity == "custom")
    let named = DiskCodec<Int>(contentType: "x/y", encode: { _ in Data() }, decode: { _ in 0 })
    #expect(named.identity == "x/y")
  }
}
