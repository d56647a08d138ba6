import Foundation
import Testing

@testable import Larder

/// Keys and values that break code which uses keys as file names or strings as bytes.
@Suite struct DiskHostileTests {
  private static let keys: [String] = [
    "", " ", "\0", "a", "a\0b", "a\0c", "a\0", "../../../../tmp/x", "..",
    ".", "/", "//",
    "/etc/passwd",
    "C:\\x", "'; DROP TABLE entries; --", "\"", "%00", "%2e%2e/", "\u{e9}", "e",
    "\u{212b}", "A", "a\u{30a}\u{301}", "🐘", "👩‍👩‍👧", "\u{202e}x", "\u{feff}",
    "\n", "\r\n",
    String(repeating: "k", count: 1 << 20), String(repeating: "k", count: 1 << 20) + "k",
    String(repeating: "../", count: 2_000), String(repeating: "\0", count: 300),
  ]

  @Test(arguments: [false, true])
  func everyKeyIsDistinct(isEncrypted: Bool) throws {
    let folder = try ScratchFolder()
    let configuration = DiskConfiguration(
      limits: DiskLimits(freeBytes: 0), durability: .none, inlineBytesMax: 200,
      encryption: isEncrypted ? try DiskEncryption(key: Data(count: 32)) : nil)
    func value(_ number: Int) -> Data { Data(repeating: UInt8(number), count: number * 12) }
    var cache = try BlockingDiskCache(path: folder.path, configuration: configuration)
    for suite in ["", "../suite"] {
      for (number, key) in Self.keys.enumerated() {
        try cache.set(value(number), for: key, suite: suite)
      }
    }
    #expect(cache.count == Self.keys.count * 2)
    try cache.close()
    cache = try BlockingDiskCache(path: folder.path, configuration: configuration)
    #expect(cache.count == Self.keys.count * 2)
    for (number, key) in Self.keys.enumerated() {
      #expect(try cache.value(for: key) == value(number))
      #expect(try cache.renew(key, version: "renewed \(number)"))
      #expect(try cache.entry(for: key)?.metadata.version == "renewed \(number)")
      #expect(try cache.value(for: key) == value(number))
      #expect(try cache.remove(key))
      #expect(try !cache.contains(key))
      #expect(try cache.value(for: key, suite: "../suite") == value(number))
    }
    try cache.close()
    // File names do not depend on keys: only digits, below the folder.
    for file in try folder.valueFiles() {
      #expect(URL(fileURLWithPath: file).lastPathComponent.allSatisfy { $0.isHexDigit })
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(
      Set(names).isSubset(of: ["files", "index.sqlite", "index.sqlite-wal", "lock", "snapshot"]))
  }

  @Test func aValueOfAHundredMegabytesIsStored() throws {
    let folder = try ScratchFolder()
    let cache = try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(limits: DiskLimits(bytes: nil, freeBytes: 0)))
    var value = Data(repeating: 7, count: 100 << 20)
    value[value.count - 1] = 1
    try cache.set(value, for: "huge")
    #expect(try cache.value(for: "huge") == value)
    try cache.set(Data(), for: "huge")
    #expect(try cache.value(for: "huge") == Data())
  }
}
