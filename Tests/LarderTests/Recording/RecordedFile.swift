import Foundation
import LarderEngine
import Testing

@testable import Larder

/// Contents of a recording, read without the reader of traces.
struct RecordedFile {
  var header: RecordedHeader
  var events: [RecordedEvent] = []
  var texts: [UInt64: String] = [:]
  var hasEnd = false
  var gets: UInt64 = 0
  var lost: UInt64 = 0
  /// Number of bytes after the last complete block.
  var rest = 0

  /// Reads complete blocks up to the end.
  init(path: String) throws {
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    header = try bytes.withUnsafeBytes { try RecordedHeader(decoding: $0) }
    try bytes.withUnsafeBytes { bytes in
      var offset = RecordedHeader.length
      while let block = RecordedBlock(
        decoding: UnsafeRawBufferPointer(rebasing: bytes[offset...]))
      {
        let start = offset + RecordedBlock.headerLength
        guard start + block.length <= bytes.count else { break }
        let body = UnsafeRawBufferPointer(rebasing: bytes[start..<start + block.length])
        switch block.kind {
        case .events: events += try #require(block.events(in: body))
        case .texts:
          for (key, text) in try #require(block.texts(in: body)) {
            texts[key] = String(decoding: text, as: UTF8.self)
          }
        case .end: hasEnd = true
        }
        gets = block.kind == .texts ? gets : block.gets
        lost = max(lost, block.lost)
        offset = start + block.length
      }
      rest = bytes.count - offset
    }
  }

  /// Kinds and outcomes as a string: `g+` a hit, `g-` a miss, `s` a set, `r` a removal.
  var story: String {
    events.map { event in
      switch (event.kind, event.outcome) {
      case (.get, .hit): "g+"
      case (.get, .miss): "g-"
      case (.get, .unknown), (.get, .fill): "g?"
      case (.set, _): "s"
      case (.remove, _): "r"
      case (.found, _): "f"
      case (.clear, _): "c"
      case (.modify, _), (.bypass, _), (.expire, _): "?"
      }
    }.joined(separator: " ")
  }
}
