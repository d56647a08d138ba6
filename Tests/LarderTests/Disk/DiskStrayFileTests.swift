import Foundation
import Testing

@testable import Larder

/// Anything but a regular file in place of one: never waited for, followed, or a reason not to
/// open.
@Suite struct DiskStrayFileTests {
  enum Stray: CaseIterable { case folder, fullFolder, pipe, link, brokenLink, linkToFolder }

  private let folder: ScratchFolder
  private let outside: ScratchFolder

  init() throws {
    folder = try ScratchFolder(isSmall: true)
    outside = try ScratchFolder(isSmall: true)
    try Data("outside".utf8).write(to: URL(fileURLWithPath: outside.path + "/file"))
  }

  private func open(_ durability: DiskDurability = .normal) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(freeBytes: 0), durability: durability, inlineBytesMax: 100))
  }

  private func put(_ stray: Stray, at path: String) throws {
    let files = FileManager.default
    try? files.removeItem(atPath: path)
    switch stray {
    case .folder: try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    case .fullFolder:
      try files.createDirectory(atPath: path + "/a/b", withIntermediateDirectories: true)
      try Data([1]).write(to: URL(fileURLWithPath: path + "/a/b/c"))
      try files.createSymbolicLink(atPath: path + "/a/out", withDestinationPath: outside.path)
    case .pipe: #expect(mkfifo(path, 0o600) == 0)
    case .link:
      try files.createSymbolicLink(atPath: path, withDestinationPath: outside.path + "/file")
    case .brokenLink:
      try files.createSymbolicLink(atPath: path, withDestinationPath: outside.path + "/new")
    case .linkToFolder:
      try files.createSymbolicLink(atPath: path, withDestinationPath: outside.path)
    }
  }

  private func checkOutside() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: outside.path)
    #expect(names == ["file"])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: outside.path + "/file"))
    #expect(bytes == Data("outside".utf8))
  }

  private func fill() throws -> String {
    let cache = try open()
    try cache.set(Data(count: 3_000), for: "large")
    try cache.set(Data(count: 30), for: "small")
    try cache.close()
    return try #require(try folder.valueFiles().first)
  }

  private func checkWorks(_ cache: BlockingDiskCache) throws {
    for number in 0..<70 {
      try cache.set(Data(repeating: UInt8(number), count: 2_000), for: "new \(number)")
      try cache.set(Data(repeating: UInt8(number), count: 20), for: "new small \(number)")
    }
    for number in 0..<70 {
      #expect(
        try cache.value(for: "new \(number)") == Data(repeating: UInt8(number), count: 2_000))
    }
    try cache.close()
    let again = try open()
    #expect(try again.value(for: "new 9") == Data(repeating: 9, count: 2_000))
    #expect(try again.value(for: "new small 9") == Data(repeating: 9, count: 20))
    #expect(again.statistics.damages == 0)
    try again.close()
    try checkOutside()
  }

  @Test(.timeLimit(.minutes(30)), arguments: Stray.allCases)
  func inPlaceOfAValueWhenOpening(stray: Stray) throws {
    try put(stray, at: try fill())
    let cache = try open()
    #expect(try cache.value(for: "large") == nil)
    #expect(try cache.value(for: "small") == Data(count: 30))
    #expect(cache.statistics.damages == 1)
    try checkWorks(cache)
  }

  @Test(.timeLimit(.minutes(30)), arguments: Stray.allCases)
  func inPlaceOfAValueInUse(stray: Stray) throws {
    let cache = try open()
    try cache.set(Data(count: 3_000), for: "large")
    try put(stray, at: try #require(try folder.valueFiles().first))
    #expect(try cache.value(for: "large") == nil)
    #expect(cache.statistics.damages == 1)
    try checkWorks(cache)
  }

  /// A spare file is replaced by something else.
  @Test(.timeLimit(.minutes(30)), arguments: Stray.allCases)
  func inPlaceOfASpareFile(stray: Stray) throws {
    let cache = try open()
    try cache.set(Data(count: 3_000), for: "large")
    let file = try #require(try folder.valueFiles().first)
    try cache.remove("large")
    try put(stray, at: file)
    try cache.set(Data(count: 4_000), for: "next")
    #expect(try cache.value(for: "next") == Data(count: 4_000))
    try checkWorks(cache)
  }

  private static let names = [
    "files/00", "files/01/12", "files/3f", "files/new", "files", "snapshot", "snapshot.new", "lock",
    "index.sqlite", "index.sqlite-wal", "index.sqlite-journal", "index.sqlite-shm", "damaged",
  ]

  @Test(.timeLimit(.minutes(30)), arguments: names, Stray.allCases)
  func inPlaceOfAnythingElse(name: String, stray: Stray) throws {
    _ = try fill()
    // A folder in place of a folder is not among them.
    let folders = ["files", "files/00", "files/3f", "damaged"]
    if [.folder, .fullFolder].contains(stray), folders.contains(name) { return }
    let parent = URL(fileURLWithPath: folder.path + "/" + name).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    try put(stray, at: folder.path + "/" + name)
    let cache = try open()
    let isDatabase = name.hasPrefix("index.sqlite")
    #expect(cache.statistics.rebuilds == (isDatabase ? 1 : 0))
    if !isDatabase { #expect(try cache.value(for: "small") == Data(count: 30)) }
    try checkWorks(cache)
  }

  @Test(arguments: ["files", "files/00", "files/01", "damaged"])
  func aFileInPlaceOfAFolder(name: String) throws {
    _ = try fill()
    let path = folder.path + "/" + name
    try? FileManager.default.removeItem(atPath: path)
    try Data([1]).write(to: URL(fileURLWithPath: path))
    try checkWorks(try open())
  }

  @Test func filesAreAccessibleToTheirOwnerOnly() throws {
    let old = umask(0)
    defer { umask(old) }
    let inner = folder.path + "/cache"
    func check(_ cache: BlockingDiskCache) throws {
      for number in 0..<5 { try cache.set(Data(count: 3_000), for: "\(number)") }
      for number in 0..<5 { _ = try cache.value(for: "\(number)") }
      try cache.flush()
      var names = 0
      for name in try FileManager.default.subpathsOfDirectory(atPath: inner) + [""] {
        let facts = try FileManager.default.attributesOfItem(atPath: inner + "/" + name)
        let mode = try #require((facts[.posixPermissions] as? NSNumber)?.intValue)
        let isFolder = facts[.type] as? FileAttributeType == .typeDirectory
        #expect(mode & 0o777 == (isFolder ? 0o700 : 0o600), "\(name)")
        names += 1
      }
      #expect(names >= 10)
      try cache.close()
    }
    let configuration = DiskConfiguration(
      limits: DiskLimits(freeBytes: 0), inlineBytesMax: 100)
    try check(try BlockingDiskCache(path: inner, configuration: configuration))
    // A file that another version created for everybody.
    #expect(chmod(inner + "/index.sqlite", 0o644) == 0)
    try check(try BlockingDiskCache(path: inner, configuration: configuration))
  }
}
