import Foundation
import Testing

@testable import LarderCommands

/// Splitting of a server's bytes into lines, between socket and decoder.
@Suite struct ReceivedLinesTests {
  private static func taken(_ lines: inout ReceivedLines, most: Int = 1 << 16) -> [UInt8] {
    var space = [UInt8](repeating: 0, count: most)
    let count = space.withUnsafeMutableBytes { lines.take(into: $0) }
    return Array(space[..<count])
  }

  @Test func onlyWholeLinesAreTaken() {
    var lines = ReceivedLines()
    lines.add(Array("one\ntw".utf8)[...])
    #expect(Self.taken(&lines) == Array("one\n".utf8))
    #expect(Self.taken(&lines).isEmpty)
    lines.add(Array("o\nthree\nf".utf8)[...])
    #expect(lines.takeLine() == "two")
    #expect(Self.taken(&lines, most: 3) == Array("thr".utf8))
    #expect(Self.taken(&lines) == Array("ee\n".utf8) && lines.count == 1)
    #expect(lines.takeLine() == nil)
  }

  /// A value of 200 MB on one line is taken in pieces.
  @Test func endlessLineIsBounded() {
    var lines = ReceivedLines()
    let part = [UInt8](repeating: 0x76, count: 1 << 16)
    var (most, bytes) = (0, 0)
    for _ in 0..<3200 {
      lines.add(part[...])
      most = max(most, lines.count)
      while case let more = Self.taken(&lines), !more.isEmpty { bytes += more.count }
    }
    #expect(most <= ReceivedLines.beginningMax + 2 << 16)
    #expect(bytes + lines.count == 3200 << 16)
    lines.add(Array("\nGET\n".utf8)[...])
    var rest: [UInt8] = []
    while case let more = Self.taken(&lines), !more.isEmpty { rest += more }
    #expect(rest.suffix(5) == Array("\nGET\n".utf8) && lines.count == 0)
  }
}
