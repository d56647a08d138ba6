import Foundation
import TestSupport
import Testing

@testable import Larder

/// Async calls, which run on threads outside the pool of all tasks.
@Suite(.endsInTime) struct AsyncDiskCacheTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder(isSmall: true) }

  @Test func asyncCallsMatchThoseOfTheCache() async throws {
    let disk = try BlockingDiskCache(path: folder.path)
    let cache = DiskCache(disk)
    #expect(try await cache.set(Data("a".utf8), for: "k", suite: "s"))
    #expect(try await cache.value(for: "k", suite: "s") == Data("a".utf8))
    #expect(try await cache.entry(for: "k") == nil)
    #expect(try await cache.remove("k", suite: "s"))
    #expect(try await !cache.remove("k", suite: "s"))
    try await cache.close()
    await #expect(throws: DiskCacheError.self) { try await cache.value(for: "k") }
    #expect(disk.statistics.hits == 1)
  }

  @Test func openingDoesNotBlockAndThrowsTheCachesError() async throws {
    let cache = try await DiskCache(path: folder.path)
    try await cache.set(Data("a".utf8), for: "k")
    let path = folder.path
    await #expect(throws: DiskCacheError.inUse(path: path)) {
      try await DiskCache(path: path)
    }
    try await cache.close()
    let again = try await DiskCache(path: path)
    #expect(try await again.contains("k"))
    #expect(try await again.value(for: "k") == Data("a".utf8))
  }

  /// Many keys in all lanes; a key that occurs twice has its last value.
  @Test func severalKeysInOneCall() async throws {
    let cache = try await DiskCache(path: folder.path)
    let values = (0..<100).map { (key: "\($0 % 90)", value: Data("\($0)".utf8)) }
    #expect(try await cache.setAll(values, suite: "s") == 100)
    let asked = (0..<120).map { "\($0)" }
    let found = try await cache.values(for: asked, suite: "s")
    let expected = Dictionary(values.map { ($0.key, $0.value) }) { $1 }
    #expect(found == expected)
    #expect(try Set(cache.blocking.keys(suite: "s")) == Set(expected.keys))
    #expect(try await cache.values(for: asked).isEmpty)
    #expect(try await cache.values(for: []).isEmpty)
    #expect(cache.blocking.statistics.hits == 90)
    try await cache.close()
    await #expect(throws: DiskCacheError.self) { try await cache.values(for: ["1"]) }
    await #expect(throws: DiskCacheError.self) { try await cache.setAll(values) }
  }

  @Test func severalKeysAreReadAtTheSameTime() async throws {
    let files = FaultyFiles()
    let cache = DiskCache(
      try BlockingDiskCache(
        path: folder.path, configuration: DiskConfiguration(inlineBytesMax: 0),
        clock: SystemCacheClock.wall(), files: files))
    let values = (0..<64).map { (key: "\($0)", value: Data(count: 100)) }
    try await cache.setAll(values)
    let parts = Set(values.map { cache.lanes.index($0.key.hashValue) }).count
    files.held.hold("read")
    defer { files.held.release() }
    let reading = Task { try await cache.values(for: values.map(\.key)) }
    var patience = 0
    while files.held.waiting < parts, patience < 1_000 {
      patience += 1
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(files.held.waiting == parts)
    files.held.release()
    #expect(try await reading.value.count == 64)
  }

  /// More tasks than threads wait for a busy disk, and others continue.
  @Test func otherTasksRunWhileTheDiskIsBusy() async throws {
    let files = FaultyFiles()
    let cache = DiskCache(
      try BlockingDiskCache(
        path: folder.path, configuration: DiskConfiguration(inlineBytesMax: 0),
        clock: SystemCacheClock.wall(), files: files))
    for key in 0..<64 { try await cache.set(Data(count: 100), for: "\(key)") }
    files.held.hold("read")
    defer { files.held.release() }
    let readers = (0..<64).map { key in Task { try await cache.value(for: "\(key)") } }
    // Would never end if the readers occupied all threads of the pool.
    let others = (0..<64).map { number in Task { number } }
    var sum = 0
    for other in others { sum += await other.value }
    #expect(sum == 63 * 32)
    files.held.release()
    for reader in readers { #expect(try await reader.value == Data(count: 100)) }
  }
}
