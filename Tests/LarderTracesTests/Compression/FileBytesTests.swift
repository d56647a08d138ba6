import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import LarderTraces

/// Files that cannot be read give a one-line reason.
@Suite(.endsInTime)
struct FileBytesTests {
  @Test func aMissingFileIsNamed() {
    let text = message { _ = try FileBytes(path: "/nowhere/at/all.txt") }
    #expect(text.hasPrefix("/nowhere/at/all.txt: cannot be opened: "))
    #expect(text.hasSuffix("check the path"))
  }

  @Test func peekingConsumesNothing() throws {
    let folder = try TestFolder()
    let file = try FileBytes(path: try folder.write("abcdef", to: "file"))
    #expect(try file.peek(4) == Array("abcd".utf8))
    #expect(try file.peek(100) == Array("abcdef".utf8))
    var space = [UInt8](repeating: 0, count: 4)
    let first = try space.withUnsafeMutableBytes { try file.read(into: $0) }
    #expect(first == 4 && space == Array("abcd".utf8))
    let second = try space.withUnsafeMutableBytes { try file.read(into: $0) }
    #expect(second == 2 && space[..<2] == Array("ef".utf8)[...])
    #expect(try space.withUnsafeMutableBytes { try file.read(into: $0) } == 0)
  }

  @Test func aPipeIsReadOnce() throws {
    let folder = try TestFolder()
    let path = folder.path("pipe")
    #expect(mkfifo(path, 0o600) == 0)
    let writer = Thread {
      let handle = FileHandle(forWritingAtPath: path)
      handle?.write(Data("7\n8\n7\n".utf8))
      try? handle?.close()
    }
    writer.start()
    let source = try FileSource(path: path, format: ComponentSpec(name: "txt"))
    #expect(try allRecords(source).map(\.key) == [7, 8, 7])
    #expect(message { _ = try allRecords(source) }.contains("is a pipe and has been read already"))
  }
}
