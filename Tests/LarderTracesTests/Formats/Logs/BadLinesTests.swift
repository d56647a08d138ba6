import LarderEngine
import Testing

@testable import LarderTraces

/// Lines that are invalid in every log.
@Suite
struct BadLinesTests {
  private static let good = "h - - [01/Mar/2026:10:00:00 +0000] \"GET /a HTTP/1.1\" 200 5\n"

  private func load(_ bytes: [UInt8], _ spec: String = "combined") throws -> PreparedTrace {
    try readTrace(bytes, "log", spec)
  }

  private func many(_ count: Int) -> [UInt8] {
    Array(String(repeating: Self.good, count: count).utf8)
  }

  @Test func fewBadLinesAreCounted() throws {
    let bad: [UInt8] = [0, 0, 0xFF, 0xFE, 0x0A] + Array("half a line\n".utf8) + [0xC3, 0x28, 0x0A]
    let trace = try load(many(400) + bad + many(100))
    #expect(trace.requests.count == 500)
    #expect(trace.reading.badLines == 3 && trace.reading.lines == 503)
    #expect(trace.reading.badExamples.count == 3)
    #expect(!trace.notes.contains { $0.contains("\0") || $0.contains("\n") })
  }

  @Test func manyBadLinesAreAnErrorWithFirstThree() {
    let bytes = many(10) + Array("one\ntwo\nthree\nfour\n".utf8)
    let text = message { _ = try load(bytes) }
    #expect(text.contains(":11: expected a line such as"), "\(text)")
    #expect(text.contains("'two'") && text.contains("'three'") && !text.contains("'four'"))
    #expect(text.contains("4 of 14 lines cannot be read (29 %), and 1.0 % may"), "\(text)")
    #expect(message { _ = try load(bytes, "combined:max-bad=50%") }.isEmpty)
  }

  @Test func endlessLineTakesNoMemory() throws {
    let long = [UInt8](repeating: 0x41, count: 3 * ByteReader.lineLengthMaximum)
    let trace = try load(many(200) + long + [0x0A] + many(1))
    #expect(trace.requests.count == 201 && trace.reading.badLines == 1)
    let open = try load(many(200) + long)
    #expect(open.requests.count == 200 && open.reading.badLines == 1)
  }
}
