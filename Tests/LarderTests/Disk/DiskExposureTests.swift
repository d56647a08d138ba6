import Foundation
import LarderEngine
import LarderLibc
import Testing

@testable import Larder

/// Folders and databases that other users may change.
@Suite struct DiskExposureTests {
  private let folder: ScratchFolder
  private var path: String { folder.path + "/index.sqlite" }

  init() throws {
    folder = try ScratchFolder(isSmall: true)
    let cache = try open()
    try cache.set(Data([1]), for: "a")
    try cache.close()
  }

  private func open(isShared: Bool = false) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        limits: DiskLimits(freeBytes: 0), troubleHandling: .startEmpty, isShared: isShared))
  }

  private func checkRefused(_ path: String, _ exposure: DiskCacheError) throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: self.path))
    let error = #expect(throws: exposure) { try open() }
    #expect(error?.description.hasPrefix(path + ": ") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: self.path)) == bytes)
  }

  @Test(.enabled(if: geteuid() == 0, "needs root to give files away"), arguments: ["", "/files"])
  func folderOfAnotherUserIsRefused(name: String) throws {
    #expect(chown(folder.path + name, 12_345, 12_345) == 0)
    try checkRefused(folder.path + name, .otherOwner(path: folder.path + name, user: 12_345))
    #expect(chown(folder.path + name, 0, 0) == 0)
    #expect(try open().value(for: "a") == Data([1]))
  }

  @Test(.enabled(if: geteuid() == 0, "needs root to give files away"))
  func databaseOfAnotherUserIsRefused() throws {
    #expect(chown(path, 12_345, 12_345) == 0)
    try checkRefused(path, .otherOwner(path: path, user: 12_345))
  }

  @Test(arguments: [0o777, 0o770, 0o702] as [mode_t])
  func folderThatOthersMayWriteIsRefused(mode: mode_t) throws {
    #expect(chmod(folder.path, mode) == 0)
    try checkRefused(folder.path, .writableByOthers(path: folder.path, mode: UInt32(mode)))
    #expect(chmod(folder.path, 0o755) == 0)
    #expect(try open().value(for: "a") == Data([1]))
  }

  @Test func nothingIsCreatedInAFolderThatOthersMayWrite() throws {
    let path = folder.path + "/new"
    let manager = FileManager.default
    try manager.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o777])
    #expect(throws: DiskCacheError.writableByOthers(path: path, mode: 0o777)) {
      try BlockingDiskCache(path: path)
    }
    #expect(try manager.contentsOfDirectory(atPath: path).isEmpty)
  }

  @Test func stickyFolderIsAccepted() throws {
    #expect(chmod(folder.path, 0o1777) == 0)
    #expect(try open().value(for: "a") == Data([1]))
  }

  @Test func databaseThatOthersMayWriteIsRefused() throws {
    #expect(chmod(path, 0o660) == 0)
    try checkRefused(path, .writableByOthers(path: path, mode: 0o660))
    #expect(chmod(path, 0o644) == 0)
    #expect(try open().value(for: "a") == Data([1]))
  }

  @Test func readerRefusesAFolderThatOthersMayWrite() throws {
    let cache = try open(isShared: true)
    let reader = try DiskCacheReader(path: folder.path)
    #expect(try reader.value(for: "a") == Data([1]))
    #expect(chmod(folder.path, 0o777) == 0)
    #expect(throws: DiskCacheError.writableByOthers(path: folder.path, mode: 0o777)) {
      try reader.value(for: "a")
    }
    try cache.close()
  }
}
