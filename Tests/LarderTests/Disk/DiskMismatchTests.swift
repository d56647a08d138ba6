import Foundation
import Testing

@testable import Larder

/// An intact folder or suite that cannot be opened: another type, codec, format or key.
@Suite struct DiskMismatchTests {
  private struct Person: Codable, Sendable, Equatable {
    var name: String
  }

  private struct Price: Codable, Sendable, Equatable {
    var cents: Int?
    var note: String?
  }

  private let folder: ScratchFolder
  private let manager = FileManager.default

  init() throws { folder = try ScratchFolder(isSmall: true) }

  private func open(
    _ handling: DiskTroubleHandling? = nil, key: UInt8? = nil
  ) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(freeBytes: 0),
        encryption: try key.map { try DiskEncryption(key: Data(repeating: $0, count: 32)) },
        troubleHandling: handling))
  }

  @Test func anotherTypeIsAMiss() async throws {
    let old = try await HybridCache<String, Person>(path: folder.path)
    try await old.set(Person(name: "Ada"), for: "1")
    try await old.close()
    let new = try await HybridCache<String, Price>(path: folder.path)
    let value = try await new.value(for: "1") { _ in Price(cents: 100, note: nil) }
    #expect(value == Price(cents: 100))
  }

  @Test func anotherTypeOfASuiteIsAMiss() throws {
    let cache = try open()
    let codecs: [(DiskCodec<Person>, DiskCodec<Price>)] = [
      (.json, .json), (.propertyList, .propertyList),
    ]
    for codec in codecs {
      let old = DiskSuite(cache, name: "s", codec: codec.0)
      let new = DiskSuite(cache, name: "s", codec: codec.1)
      try old.set(Person(name: "Ada"), for: "1")
      #expect(try old.value(for: "1") == Person(name: "Ada"))
      #expect(try new.value(for: "1") == nil)
      try new.set(Price(cents: 1), for: "2")
      #expect(try new.value(for: "2") == Price(cents: 1))
      #expect(try old.value(for: "2") == nil)
    }
    #expect(cache.statistics.undecodables == 4)
  }

  @Test func schemaReplacesTheTypeName() throws {
    let cache = try open()
    try DiskSuite(cache, name: "s", codec: .json(schema: "1"), of: Person.self)
      .set(Person(name: "Ada"), for: "1")
    #expect(
      try DiskSuite(cache, name: "s", codec: .json(schema: "1"), of: Price.self).value(for: "1")
        == Price())
    #expect(
      try DiskSuite(cache, name: "s", codec: .json(schema: "2"), of: Person.self).value(for: "1")
        == nil)
    #expect(DiskCodec<Price>.standard(schema: "x").identity == "json x")
    #expect(DiskCodec<Data>.standard(schema: "x").identity == "data")
  }

  @Test func anotherCodecStartsEmptyWithoutPermanentEntries() throws {
    let cache = try open()
    try cache.set(Data([1]), for: "other")
    let first = DiskSuite(cache, name: "s", codec: .json, of: [Int].self)
    let second = DiskSuite(cache, name: "s", codec: .propertyList, of: [Int].self)
    try first.set([1], for: "p")
    #expect(try second.set([2], for: "q"))
    #expect(try second.value(for: "p") == nil && second.value(for: "q") == [2])
    #expect(try cache.contains("other") && cache.statistics.undecodables == 1)
  }

  @Test func codecWithAnEmptyIdentityIsRemembered() throws {
    let codec = DiskCodec<Data>(identity: "", encode: { $0 }, decode: { $0 })
    let cache = try open()
    try cache.set(Data([1]), for: "p", suite: "s", codec: codec)
    try cache.close()
    let again = try open(.fail)
    #expect(try again.value(for: "p", suite: "s", codec: codec) == Data([1]))
    #expect(throws: DiskCacheError.self) { try again.value(for: "p", suite: "s", codec: .data) }
  }

  @Test func valueStoredWhileAnotherIsDecodedStays() throws {
    let cache = try open()
    let codec = DiskCodec<Data>(
      identity: "data", encode: { $0 },
      decode: { _ in
        usleep(10)
        try cache.set(Data([2]), for: "k", suite: "s")
        throw CancellationError()
      })
    try cache.set(Data([1]), for: "k", suite: "s")
    #expect(try cache.value(for: "k", suite: "s", codec: codec) == nil)
    #expect(try cache.value(for: "k", suite: "s") == Data([2]))
    #expect(cache.statistics.undecodables == 1 && cache.statistics.removals == 0)
  }

  @Test func permanentValuesOfAnotherCodecAreAnError() throws {
    var cache = try open()
    try DiskSuite(cache, name: "s", codec: .json, of: [Int].self)
      .set([1], for: "p", options: DiskStoreOptions(isPermanent: true))
    let error = #expect(throws: DiskCacheError.self) {
      try DiskSuite(cache, name: "s", codec: .propertyList, of: [Int].self).set([2], for: "q")
    }
    #expect(error?.description.contains("troubleHandling to startEmpty") == true)
    try cache.close()
    cache = try open(.startEmpty)
    let suite = DiskSuite(cache, name: "s", codec: .propertyList, of: [Int].self)
    #expect(try suite.set([2], for: "q") && cache.count == 1)
  }

  @Test func anotherCodecIsAnErrorIfConfigured() throws {
    let cache = try open(.fail)
    try DiskSuite(cache, name: "s", codec: .json, of: [Int].self).set([1], for: "p")
    #expect(throws: DiskCacheError.self) {
      try DiskSuite(cache, name: "s", codec: .propertyList, of: [Int].self).value(for: "p")
    }
    #expect(cache.count == 1)
  }

  private func changeFormat(permanent: Bool) throws {
    let cache = try open()
    try cache.set(Data([1]), for: "a", options: DiskStoreOptions(isPermanent: permanent))
    try cache.close()
    let raw = try SQLiteConnection(path: folder.path + "/index.sqlite", busyMilliseconds: 0)
    let facts = DiskFacts(format: 99, seed: 1, seal: Data())
    try raw.execute("PRAGMA user_version = 99; DELETE FROM facts; \(facts.inserts)")
    #expect(raw.error(8).message == "attempt to write a readonly database")
  }

  @Test func anotherFormatStartsEmptyWithoutPermanentEntries() throws {
    try changeFormat(permanent: false)
    #expect(throws: DiskCacheError.self) { try open(.fail) }
    let cache = try open()
    #expect(cache.count == 0 && cache.statistics.rebuilds == 1)
    #expect(cache.damage != nil)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/damaged"))
    #expect(try cache.set(Data([2]), for: "b"))
    try cache.close()
    #expect(try open().value(for: "b") == Data([2]))
  }

  @Test func permanentEntriesOfAnotherFormatAreAnError() throws {
    try changeFormat(permanent: true)
    let error = #expect(throws: DiskCacheError.self) { try open() }
    #expect(error?.description.contains("troubleHandling to startEmpty") == true)
    #expect(try open(.startEmpty).count == 0)
  }

  @Test func anotherProgramsDatabaseIsReplacedOnlyOnDemand() throws {
    do {
      let raw = try SQLiteConnection(path: folder.path + "/index.sqlite", busyMilliseconds: 0)
      try raw.execute("CREATE TABLE notes(text)")
    }
    #expect(throws: DiskCacheError.self) { try open() }
    let cache = try open(.startEmpty)
    #expect(cache.damage != nil && manager.fileExists(atPath: folder.path + "/damaged"))
  }

  private func isReadable(_ text: String) throws -> Bool {
    try manager.subpathsOfDirectory(atPath: folder.path).contains { name in
      manager.contents(atPath: folder.path + "/" + name)?.range(of: Data(text.utf8)) != nil
    }
  }

  @Test func encryptionTurnedOnLeavesNothingReadable() throws {
    let old = try open()
    for key in 0..<300 {
      try old.set(Data(String(repeating: "secret ", count: key * 20).utf8), for: "secret \(key)")
    }
    try old.close()
    #expect(try isReadable("secret"))
    let cache = try open(.startEmpty, key: 1)
    #expect(try !isReadable("secret"))
    #expect(cache.damage != nil && cache.count == 0)
  }

  /// A cache that owns its folder, when a user logs out.
  @Test func removingAllOfAnOwnedFolderRemovesTheCopy() throws {
    func hybrid() throws -> HybridCache<String, String> {
      var configuration = HybridCacheConfiguration()
      configuration.disk?.limits.freeBytes = 0
      return try HybridCache(path: folder.path, configuration: configuration)
    }
    let old = try hybrid()
    for key in 0..<300 { try old.set(String(repeating: "secret ", count: 9), for: "\(key)") }
    try old.close()
    let path = URL(fileURLWithPath: folder.path + "/index.sqlite")
    var bytes = try Data(contentsOf: path)
    bytes.replaceSubrange(0..<16, with: Data(count: 16))
    try bytes.write(to: path)
    let cache = try hybrid()
    #expect(try cache.value(for: "1") == nil)
    #expect(try isReadable("secret"))
    try cache.removeAll()
    #expect(try !isReadable("secret"))
    #expect(!manager.fileExists(atPath: folder.path + "/damaged"))
  }

  /// A copy that cannot be removed is an error, after everything else was removed.
  @Test func copyThatCannotBeRemovedIsAnError() throws {
    try Data("hello".utf8).write(to: URL(fileURLWithPath: folder.path + "/index.sqlite"))
    let files = FaultyFiles()
    let cache = try BlockingDiskCache(
      path: folder.path, configuration: DiskConfiguration(limits: DiskLimits(freeBytes: 0)),
      clock: SystemCacheClock.wall(), files: files)
    #expect(manager.fileExists(atPath: folder.path + "/damaged"))
    try cache.set(Data([1]), for: "a")
    files.set { $0.calls = ["remove"] }
    #expect(throws: DiskCacheError.self) { try cache.removeAll() }
    #expect(cache.count == 0)
    files.set { $0.calls = [] }
    try cache.removeAll()
    #expect(!manager.fileExists(atPath: folder.path + "/damaged"))
  }

  @Test(arguments: [(1, 2), (1, nil), (nil, 1)] as [(UInt8?, UInt8?)])
  func anotherKeyStartsEmptyOnDemand(keys: (UInt8?, UInt8?)) throws {
    let first = try open(key: keys.0)
    try first.set(Data([1]), for: "a")
    try first.close()
    for handling in [nil, DiskTroubleHandling.fail] {
      let error = #expect(throws: DiskCacheError.self) { try open(handling, key: keys.1) }
      #expect(error?.description.contains("troubleHandling to startEmpty") == true)
    }
    // A copy from before is as secret as the database.
    try manager.createDirectory(atPath: folder.path + "/damaged", withIntermediateDirectories: true)
    try Data([1]).write(to: URL(fileURLWithPath: folder.path + "/damaged/index.sqlite"))
    let cache = try open(.startEmpty, key: keys.1)
    #expect(cache.count == 0)
    #expect(!manager.fileExists(atPath: folder.path + "/damaged"))
    try cache.set(Data([2]), for: "b")
    try cache.close()
    #expect(try open(key: keys.1).value(for: "b") == Data([2]))
  }
}
