import LarderEngine

/// The traces of the ARC paper: each line asks for a run of consecutive blocks.
///
/// Megiddo and Modha, "ARC: A Self-Tuning, Low Overhead Replacement Cache", FAST 2003.
struct ArcFormat: TraceFormat {
  let description = FormatDescription(
    name: "arc",
    summary: "block runs of the ARC paper: `start count 0 number` per line",
    layout: """
      Text, four whole numbers per line, separated by blanks: first block, number of blocks,
      ignored, line number (ignored). A line becomes one get per block: start, start+1, ...
      start+count-1. No sizes, no times.
      """,
    suffixes: [".lis"], parameters: [.maxBad])

  /// Maximum blocks of a line; more is damage, not a request: 2^24 blocks of 512 bytes are 8 GiB.
  private static let runMaximum: UInt64 = 1 << 24

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    if sample.isNamed(description.suffixes) { return .certain }
    let lines = sample.lines()
    let fits = lines.allSatisfy { line in
      line.withUnsafeBufferPointer { bytes in
        guard let start = bytes.baseAddress else { return false }
        var field = TextField(start, start + bytes.count)
        return ArcFormat.run(&field).map { $0.zero == 0 && $0.count > 0 } ?? false
      }
    }
    return !lines.isEmpty && fits ? .likely : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) -> any TraceDecoder { Decoder() }

  /// Parses the four numbers of a line; nil for anything else.
  @inline(__always) private static func run(
    _ field: inout TextField
  ) -> (start: UInt64, count: UInt64, zero: UInt64)? {
    guard let start = field.takeWord(), let count = field.takeWord(),
      let zero = field.takeWord(), field.takeWord() != nil
    else { return nil }
    field.skipBlanks()
    return field.isEmpty ? (start, count, zero) : nil
  }

  private struct Decoder: TraceDecoder {
    var columns: TraceColumns { [] }

    func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
      try reader.forEachLine(telling: batch) { line, number in
        var field = line
        guard let run = ArcFormat.run(&field) else {
          field = line
          field.skipBlanks()
          if field.isEmpty { return true }
          try batch.bad(
            TraceError(
              "expected four whole numbers (start, blocks, 0, number), found \(line.quoted)",
              in: reader.path, at: .line(number)))
          return true
        }
        guard run.count <= ArcFormat.runMaximum, run.start <= .max - run.count else {
          try batch.bad(
            TraceError(
              "invalid run of \(run.count) blocks from \(run.start)", in: reader.path,
              at: .line(number)))
          return true
        }
        for block in run.start..<(run.start + run.count) {
          guard try batch.append(TraceRecord(key: block)) else { return false }
        }
        return true
      }
      _ = try batch.flush()
    }
  }
}
