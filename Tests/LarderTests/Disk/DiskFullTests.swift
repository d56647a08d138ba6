import Foundation
import TestSupport
import Testing

@testable import Larder

/// A really full disk, in a child process.
@Suite(.endsInTime) struct DiskFullTests {
  /// Mounts a small file system in `$1` and runs the other arguments there.
  private static let mounted = "mount -t tmpfs -o size=2m none \"$1\" && shift && exec \"$@\""

  /// True if this system lets a process mount a private file system.
  static let canMount: Bool = {
    guard let folder = try? ScratchFolder(),
      let (_, status) = try? VictimProcess.output(
        "/usr/bin/unshare", ["-Urm", "sh", "-c", mounted, "sh", folder.path, "true"])
    else { return false }
    return status == 0
  }()

  private func check(_ said: String, _ status: Int32) throws {
    #expect(status == 0, "\(said)")
    let words = said.split(separator: " ").map(String.init)
    try #require(words.count == 10, "\(said)")
    // Without durability each failure covers many sets.
    #expect(try #require(Int(words[1])) > 20, "\(said)")
    #expect(try #require(Int(words[3])) > 10, "\(said)")
    #expect(said.hasSuffix("wrong 0 empty true works true\n"), "\(said)")
  }

  @Test(.enabled(if: canMount, "may not mount a small disk"), arguments: DiskDurability.allCases)
  func aFullDiskIsAnErrorAndTheCacheWorksAgain(durability: DiskDurability) throws {
    let folder = try ScratchFolder()
    let (said, status) = try VictimProcess.output(
      "/usr/bin/unshare",
      [
        "-Urm", "sh", "-c", Self.mounted, "sh", folder.path, VictimProcess.program.path,
        folder.path + "/cache", durability.rawValue, "full", "0",
      ])
    try check(said, status)
  }

  @Test(.enabled(if: canMount, "may not mount a small disk"))
  func aReadOnlyDiskIsAnError() throws {
    let folder = try ScratchFolder()
    let (said, status) = try VictimProcess.output(
      "/usr/bin/unshare",
      [
        "-Urm", "sh", "-c",
        "mount -t tmpfs -o ro none \"$1\" && shift && exec \"$@\"", "sh", folder.path,
        VictimProcess.program.path, folder.path + "/cache", "normal", "full", "0",
      ])
    #expect(status == 1)
    #expect(said == "error \(folder.path)/cache: cannot make the folder: Read-only file system\n")
  }

  /// The database and its log may not grow beyond 300 KB, and no file beyond it may be written.
  @Test(arguments: DiskDurability.allCases)
  func filesThatMayNotGrowAreAnErrorAndTheCacheWorksAgain(durability: DiskDurability) throws {
    let folder = try ScratchFolder()
    let (said, status) = try VictimProcess.output(
      VictimProcess.program.path, [folder.path, durability.rawValue, "full", "300000"])
    try check(said, status)
  }
}
