import Foundation
import Testing

@testable import Larder

/// Folders that version 0.9 (c25d55af) wrote, in `Fixtures/OlderFolders`.
@Suite struct OlderFolderTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// A copy of a fixture. Git keeps no empty folders.
  private func copy(_ name: String) throws -> String {
    let fixture = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fixtures/OlderFolders/\(name)")
    let copy = "\(folder.path)/\(name)"
    try FileManager.default.createDirectory(
      atPath: folder.path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: fixture.path, toPath: copy)
    try FileManager.default.createDirectory(
      atPath: "\(copy)/files", withIntermediateDirectories: true)
    return copy
  }

  private func value(_ number: Int, _ size: Int) -> Data {
    Data((0..<size).map { UInt8(truncatingIfNeeded: ($0 &* 31) ^ number) })
  }

  @Test(arguments: ["files", "segments"]) func valuesOfOlderFolderAreRead(_ name: String) throws {
    let cache = try BlockingDiskCache(
      path: try copy(name),
      configuration: DiskConfiguration(
        policy: "s3-fifo", limits: DiskLimits(bytes: 1 << 20, freeBytes: 0),
        durability: name == "segments" ? .none : .normal, inlineBytesMax: 200,
        values: name == "segments" ? .segments(bytes: 64 << 10) : .files))
    for number in 0..<12 {
      let expected = number == 2 ? nil : value(number, number % 3 == 0 ? 900 : 40)
      #expect(try cache.value(for: "key \(number)") == expected)
    }
    #expect(try cache.entry(for: "key 4")?.metadata.version == "v4")
    #expect(try cache.entry(for: "permanent")?.metadata.isPermanent == true)
    #expect(
      try DiskSuite<String>(cache, name: "texts", codec: .text).value(for: "word") == "caf\u{e9}")
    #expect(cache.statistics.damages == 0 && cache.statistics.rebuilds == 0)
    try cache.set(value(1, 10), for: "new")
    try cache.close()
  }

  private struct Article: Codable, Sendable, Equatable {
    var title: String
    var words: Int
  }

  @Test func valuesOfOlderHybridAreRead() throws {
    let cache = try HybridCache<String, Article>(path: try copy("hybrid"))
    for number in 0..<5 {
      #expect(
        try cache.value(for: "article \(number)")
          == Article(title: "Title \(number)", words: number * 100))
    }
    try cache.close()
  }
}
