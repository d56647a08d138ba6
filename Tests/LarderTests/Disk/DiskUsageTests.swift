import Foundation
import LarderLibc
import Testing

@testable import Larder

@Suite struct DiskUsageTests {
  private let folder: ScratchFolder
  private let files = FaultyFiles()

  init() throws { folder = try ScratchFolder() }

  private func open(_ durability: DiskDurability = .normal) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(freeBytes: 0), durability: durability),
      clock: ManualClock(), files: files)
  }

  @Test func usageMatchesTheFiles() throws {
    let cache = try open()
    for number in 0..<10 { try cache.set(Data(count: 1_000), for: "small \(number)") }
    for number in 0..<5 { try cache.set(Data(count: 50_000), for: "large \(number)") }
    try cache.set(Data(count: 1), for: "large 0")
    let usage = cache.usage
    #expect(usage.files == 200_000 && usage.spare == 50_000)
    #expect(try folder.valueFiles().count == 5)
    #expect(try SystemFiles().size(folder.path + "/index.sqlite") == usage.database)
    #expect(try SystemFiles().size(folder.path + "/index.sqlite-wal") == usage.log)
    #expect(cache.diskBytes == usage.total)
    #expect(cache.writes.files == 250_000)
    // Sixteen commits of at least one page, and everything in the log.
    #expect(cache.writes.log >= 16 * 4_096 && cache.writes.log >= usage.log - 32)
    #expect(cache.valueBytes == 210_001 && cache.count == 15)
  }

  @Test func filesCanBeDroppedFromThePageCache() throws {
    let cache = try open(.none)
    let value = Data(repeating: 3, count: 300_000)
    try cache.set(value, for: "large")
    try cache.set(Data([1]), for: "small")
    let isKnown = try cache.dropPageCache()
    #if os(Linux)
      #expect(isKnown)
      let file = try #require(try folder.valueFiles().first)
      if try systemForgets() {
        #expect(try residentPages(file) == 0)
        #expect(try residentPages(folder.path + "/index.sqlite") == 0)
      }
    #else
      #expect(!isKnown)
    #endif
    #expect(try cache.value(for: "large") == value)
    #expect(try cache.value(for: "small") == Data([1]))
    files.set { $0.calls = ["dropCached"] }
    #expect(throws: DiskCacheError.self) { try cache.dropPageCache() }
    #expect(try cache.value(for: "large") == value)
  }

  /// No file is opened and closed that would release SQLite's locks.
  @Test func droppingThePageCacheKeepsTheDatabaseLocked() throws {
    let cache = try open()
    try cache.set(Data([1]), for: "small")
    _ = try cache.dropPageCache()
    let raw = try SQLiteConnection(path: folder.path + "/index.sqlite", busyMilliseconds: 0)
    #expect(throws: SQLiteError.self) { try raw.number("SELECT count(*) FROM entries") }
    #expect(try cache.value(for: "small") == Data([1]))
  }

  #if os(Linux)
    /// True if the page cache of a test file can be dropped here, which is not so in a file system
    /// in memory.
    private func systemForgets() throws -> Bool {
      let path = folder.path + "/other"
      try Data(count: 100_000).write(to: URL(fileURLWithPath: path))
      let file = Glibc.open(path, O_RDWR)
      defer { close(file) }
      fsync(file)
      posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
      return try residentPages(path) == 0
    }

    private func residentPages(_ path: String) throws -> Int {
      let file = Glibc.open(path, O_RDONLY)
      let bytes = Int(try SystemFiles().size(path))
      defer { close(file) }
      guard let memory = mmap(nil, bytes, PROT_READ, MAP_SHARED, file, 0), memory != MAP_FAILED
      else { throw FileFailure("map", path, errno) }
      defer { munmap(memory, bytes) }
      var pages = [UInt8](repeating: 0, count: (bytes + 4_095) / 4_096)
      guard mincore(memory, bytes, &pages) == 0 else { throw FileFailure("mincore", path, errno) }
      return pages.count { $0 & 1 != 0 }
    }
  #endif
}
