import Foundation
import TestSupport
import Testing

@testable import Larder

/// Calls from tasks, which wait on threads outside of the pool of all tasks.
@Suite(.endsInTime) struct AsyncDiskCacheTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder(isSmall: true) }

  @Test func callsDoWhatTheCacheDoes() async throws {
    let disk = try DiskCache(path: folder.path)
    let cache = AsyncDiskCache(disk)
    #expect(try await cache.set(Data("a".utf8), for: "k", suite: "s"))
    #expect(try await cache.value(for: "k", suite: "s") == Data("a".utf8))
    #expect(try await cache.entry(for: "k") == nil)
    #expect(try await cache.remove("k", suite: "s"))
    #expect(try await !cache.remove("k", suite: "s"))
    try await cache.run { (disk) throws(DiskCacheError) in try disk.close() }
    await #expect(throws: DiskCacheError.self) { try await cache.value(for: "k") }
    #expect(disk.statistics.hits == 1)
  }

  /// More tasks than threads wait for a disk that is busy, and others go on.
  @Test func otherTasksGoOnWhileTheDiskIsBusy() async throws {
    let files = FaultyFiles()
    let cache = AsyncDiskCache(
      try DiskCache(
        path: folder.path, configuration: DiskConfiguration(inlineBytesMax: 0),
        clock: WallCacheClock(), files: files))
    for key in 0..<64 { try await cache.set(Data(count: 100), for: "\(key)") }
    files.held.hold("read")
    defer { files.held.release() }
    let readers = (0..<64).map { key in Task { try await cache.value(for: "\(key)") } }
    // Would never end if the readers had all threads of the pool.
    let others = (0..<64).map { number in Task { number } }
    var sum = 0
    for other in others { sum += await other.value }
    #expect(sum == 63 * 32)
    files.held.release()
    for reader in readers { #expect(try await reader.value == Data(count: 100)) }
  }
}
