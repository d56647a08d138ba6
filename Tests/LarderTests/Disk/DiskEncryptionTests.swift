import Crypto
import Foundation
import Testing

@testable import Larder

@Suite struct DiskEncryptionTests {
  private let folder: ScratchFolder
  private let clock = ManualClock(seconds: 1_000)
  private let files = FaultyFiles()

  init() throws { folder = try ScratchFolder() }

  private static func key(_ bytes: Int, _ seed: UInt64 = 1) throws -> DiskEncryption {
    var random = TestRandom(seed: seed)
    return try DiskEncryption(
      key: Data((0..<bytes).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
  }

  private func open(_ encryption: DiskEncryption?) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(freeBytes: 0), inlineBytesMax: 100, encryption: encryption),
      clock: clock, files: files)
  }

  private func bytes(_ count: Int, _ seed: UInt64 = 0) -> Data {
    var random = TestRandom(seed: seed)
    return Data((0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) })
  }

  private var databasePath: String { folder.path + "/index.sqlite" }

  private func raw(_ sql: String) throws {
    folder.removeSnapshot()
    try SQLiteConnection(path: databasePath, busyMilliseconds: 0).execute(sql)
  }

  @Test(arguments: [16, 24, 32], [0, 1, 99, 100, 101, 200_000])
  func encryptedValuesAreReadBack(keyBytes: Int, size: Int) throws {
    let encryption = try Self.key(keyBytes)
    var cache = try open(encryption)
    let options = DiskStoreOptions(
      timeToLive: .seconds(100), version: "v1", contentType: "image/jpeg")
    try cache.set(bytes(size, 1), for: "a", suite: "e\u{301}", options: options)
    try cache.set(bytes(size, 2), for: "a", suite: "\u{e9}")
    try cache.set(bytes(size, 3), for: "", options: DiskStoreOptions(isPermanent: true))
    #expect(cache.valueBytes == UInt64(size * 3), "limits count plain bytes")
    for isReopened in [false, true] {
      if isReopened {
        try cache.close()
        cache = try open(encryption)
      }
      let entry = try #require(try cache.entry(for: "a", suite: "e\u{301}"))
      #expect(entry.data == bytes(size, 1))
      #expect(entry.metadata.version == "v1" && entry.metadata.contentType == "image/jpeg")
      #expect(try cache.value(for: "a", suite: "\u{e9}") == bytes(size, 2))
      #expect(try cache.entry(for: "")?.metadata.isPermanent == true)
      #expect(try cache.value(for: "") == bytes(size, 3))
      #expect(try cache.value(for: "a") == nil)
    }
    clock.advance(seconds: 50)
    #expect(try cache.renew("a", suite: "e\u{301}", timeToLive: .seconds(500), version: "v2"))
    #expect(try !cache.renew("b", suite: "e\u{301}"))
    clock.advance(seconds: 100)
    try cache.close()
    cache = try open(encryption)
    let entry = try #require(try cache.entry(for: "a", suite: "e\u{301}"))
    #expect(entry.data == bytes(size, 1))
    #expect(entry.metadata.version == "v2" && entry.metadata.contentType == "image/jpeg")
    #expect(cache.statistics.damages == 0)
  }

  @Test(arguments: [50, 5_000])
  func nothingReadableIsOnTheDisk(size: Int) throws {
    let cache = try open(try Self.key(32))
    let secrets = ["a very secret key", "secret suite", "\"secret version\"", "secret/type"]
    let value = Data(String(repeating: "secret value ", count: size / 13 + 1).utf8.prefix(size))
    for round in 0..<3 {
      try cache.set(
        value, for: secrets[0] + "\(round / 2)", suite: secrets[1],
        options: DiskStoreOptions(version: secrets[2], contentType: secrets[3]))
    }
    try cache.renew(secrets[0] + "0", suite: secrets[1], version: secrets[2] + "2")
    for isClosed in [false, true] {
      if isClosed { try cache.close() }
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
        guard let file = FileManager.default.contents(atPath: folder.path + "/" + name) else {
          continue
        }
        #expect(file.range(of: Data("ecret".utf8)) == nil, "\(name)")
      }
    }
  }

  @Test func wrongKeyIsAnErrorAndLosesNothing() throws {
    let (right, wrong) = (try Self.key(32), try Self.key(32, 2))
    var cache = try open(right)
    try cache.set(bytes(50), for: "a")
    try cache.set(bytes(5_000), for: "b")
    try cache.close()
    let (mismatch, other) = (DiskCacheError.wrongKey(path: databasePath), "was encrypted with")
    for (key, fault, text) in [
      (wrong, mismatch, other), (try Self.key(16), mismatch, other),
      (nil, .keyMissing(path: databasePath), "is encrypted; open it with its key"),
    ] {
      let error = #expect(throws: fault) { try open(key) }
      #expect(error?.description.hasPrefix("\(databasePath): the cache \(text)") == true)
      #expect(error?.description.contains("troubleHandling") == true)
    }
    cache = try open(right)
    #expect(try cache.value(for: "a") == bytes(50))
    #expect(try cache.value(for: "b") == bytes(5_000))
    try cache.close()
    let plain = try ScratchFolder()
    let configuration = DiskConfiguration(limits: DiskLimits(freeBytes: 0))
    try BlockingDiskCache(path: plain.path, configuration: configuration).close()
    var withKey = configuration
    withKey.encryption = right
    let path = plain.path + "/index.sqlite"
    #expect(throws: DiskCacheError.notEncrypted(path: path)) {
      try BlockingDiskCache(path: plain.path, configuration: withKey)
    }
    try BlockingDiskCache(path: plain.path, configuration: configuration).close()
  }

  @Test func descriptionsHideTheKey() throws {
    let secret = Data("0123456789abcdef".utf8)
    let encryption = try DiskEncryption(key: secret)
    let configuration = DiskConfiguration(encryption: encryption)
    var dumped = ""
    dump(configuration, to: &dumped)
    for text in ["\(configuration)", String(reflecting: configuration), dumped] {
      #expect(!text.contains("0123") && !text.contains("48, 49") && !text.contains("SymmetricKey"))
    }
    #expect(encryption == (try DiskEncryption(key: SymmetricKey(data: secret))))
    let other = try DiskEncryption(key: Data("0123456789abcdeg".utf8))
    #expect(encryption != other)
    #expect(encryption.hashValue == other.hashValue)
    #expect(throws: DiskCacheError.encryptionKeyLength(bits: 80)) {
      try DiskEncryption(key: secret.prefix(10))
    }
    #expect(throws: DiskCacheError.encryptionKeyLength(bits: 0)) {
      try DiskEncryption(key: Data())
    }
  }

  /// Other columns of a row make the cache start empty: `DiskDamagedRowTests`.
  @Test(arguments: [
    "value = zeroblob(length(value))", "value = substr(value, 2)", "value = NULL",
  ])
  func tamperedValueIsAMiss(tampering: String) throws {
    let encryption = try Self.key(32)
    let cache = try open(encryption)
    let options = DiskStoreOptions(timeToLive: .seconds(500))
    try cache.set(bytes(50, 1), for: "a", suite: "one", options: options)
    try cache.set(bytes(50, 2), for: "b", suite: "two", options: options)
    try cache.close()
    try raw("UPDATE entries SET \(tampering) WHERE id = 1")
    let again = try open(encryption)
    #expect(try again.value(for: "a", suite: "one") == nil)
    #expect(try again.value(for: "a", suite: "two") == nil)
    #expect(try again.value(for: "b", suite: "one") == nil)
    #expect(try again.value(for: "b", suite: "two") == bytes(50, 2))
    #expect(again.count == 1 && again.statistics.damages == 1)
    try again.set(bytes(50, 3), for: "a", suite: "one")
    #expect(try again.value(for: "a", suite: "one") == bytes(50, 3))
  }

  @Test func anOlderValueOfTheSameKeyIsNotServed() throws {
    let cache = try open(try Self.key(32))
    try cache.set(bytes(5_000, 1), for: "a")
    let file = try #require(try folder.valueFiles().first)
    let old = try Data(contentsOf: URL(fileURLWithPath: file))
    #expect(old.count == 5_000 + DiskSeal.overhead)
    try cache.set(bytes(5_000, 2), for: "a")
    let new = try #require(try folder.valueFiles().first { $0 != file })
    try old.write(to: URL(fileURLWithPath: new))
    #expect(try cache.value(for: "a") == nil)
    #expect(cache.statistics.damages == 1)
  }

  @Test func everyWriteUsesANewNonce() throws {
    let seal = DiskSeal(try Self.key(32), salt: Data(count: 32))
    var nonces: Set<Data> = []
    try Data([1, 2, 3]).withUnsafeBytes { value in
      let key = DiskKey(value, suite: 1, seed: 1)
      for _ in 0..<1_000 { nonces.insert(try #require(seal.sealValue(value, key)).prefix(12)) }
    }
    #expect(nonces.count == 1_000)
  }

  @Test func listenersReceiveKeys() throws {
    let cache = try open(try Self.key(32))
    try cache.set(bytes(5), for: "\u{e9}\0", suite: "s")
    nonisolated(unsafe) var heard: [CacheEvent<DiskEntryName>] = []
    let token = cache.onEvent { heard.append($0) }
    try cache.removeAll()
    #expect(heard == [CacheEvent(.remove, DiskEntryName(suite: "s", key: "\u{e9}\0"))])
    token.cancel()
  }
}
