import Foundation
import TestSupport
import Testing

@testable import LarderTraces

/// Files are complete or missing, whichever call fails.
@Suite(.endsInTime)
struct OutputFileTests {
  @Test func aFullDiskIsAnErrorAndLeavesNothing() throws {
    let folder = try TestFolder()
    let records = (0..<5000).map { TraceRecord(key: UInt64($0)) }
    let trace = try PreparedTrace.prepare(source: RecordList(list: records), name: "full")
    let path = folder.path("x.larder")
    var room = 0
    var failures = 0
    while true {
      let error = thrown {
        let file = try OutputFile(path: path, files: SmallDisk(room: room))
        try TraceWriter.larder.write(trace, to: file)
      }
      guard let error else { break }
      #expect("\(error)".contains("No space left on device"))
      #expect("\(error)".hasPrefix("\(path): byte \(room): writing failed"))
      #expect(folder.names == [])
      failures += 1
      room += 7001
    }
    #expect(failures > 5)
    #expect(folder.names == ["x.larder"])
    #expect(try PreparedTrace.load(path: path).requests.count == 5000)
  }

  @Test func existingFileSurvivesFailedWrite() throws {
    let folder = try TestFolder()
    let path = try folder.write("precious", to: "x.csv")
    let source = RecordList(list: [TraceRecord(key: 1)])
    let trace = try PreparedTrace.prepare(source: source, name: "a")
    let file = try OutputFile(path: path, files: SmallDisk(room: 3))
    #expect(thrown { try TraceWriter.csv.write(trace, to: file) } != nil)
    #expect(folder.names == ["x.csv"])
    #expect(FileManager.default.contents(atPath: path) == Data("precious".utf8))
  }

  @Test func aFailedSyncIsAnError() throws {
    let folder = try TestFolder()
    let path = folder.path("x.csv")
    let file = try OutputFile(path: path, files: SmallDisk(flushFails: true))
    try file.write(Array("text".utf8))
    #expect(message { try file.commit() }.contains("writing failed: Input/output error"))
    #expect(folder.names == [])
  }

  @Test func uncommittedFileIsRemoved() throws {
    let folder = try TestFolder()
    var file: OutputFile? = try OutputFile(path: folder.path("x"))
    try file?.write([1, 2, 3])
    #expect(folder.names.count == 1, "under another name")
    file = nil
    #expect(folder.names == [])
  }

  @Test func shortWritesAreContinued() throws {
    let folder = try TestFolder()
    let file = try OutputFile(path: folder.path("x"), files: SmallDisk(atOnce: 3))
    try file.write(Array("abcdefgh".utf8))
    try file.commit()
    #expect(FileManager.default.contents(atPath: folder.path("x")) == Data("abcdefgh".utf8))
  }

  /// A link under the temporary name, as another user with write access to the folder can create
  /// it.
  @Test func linksAtTemporaryNameAreNotFollowed() throws {
    let folder = try TestFolder()
    let victim = try folder.write("precious", to: "victim")
    let name = ".x.csv.\(getpid())-0.partial"
    try FileManager.default.createSymbolicLink(
      atPath: folder.path(name), withDestinationPath: victim)
    let file = try OutputFile(path: folder.path("x.csv"))
    try file.write(Array("text".utf8))
    try file.commit()
    #expect(FileManager.default.contents(atPath: victim) == Data("precious".utf8))
    #expect(FileManager.default.contents(atPath: folder.path("x.csv")) == Data("text".utf8))
    #expect(folder.names.sorted() == ["victim", "x.csv", name].sorted())
  }

  @Test func unwritablePathIsReported() throws {
    let folder = try TestFolder()
    #expect(message { _ = try OutputFile(path: folder.path) }.contains("is a directory"))
    #expect(
      message { _ = try OutputFile(path: folder.path("no/such/folder.csv")) }
        .contains("cannot be written: No such file"))
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "no /dev/full here"))
  func aRealFullDeviceIsAnError() throws {
    let trace = try PreparedTrace.prepare(
      source: RecordList(list: [TraceRecord(key: 1)]), name: "x")
    for writer in TraceWriter.all {
      #expect(
        message { try writer.write(trace, to: "/dev/full") }.contains("No space left on device"))
    }
  }
}
