import LarderEngine

/// The traces of the LIRS paper.
///
/// Jiang and Zhang, "LIRS: An Efficient Low Inter-reference Recency Set Replacement Policy to
/// Improve Buffer Cache Performance", SIGMETRICS 2002.
struct LirsFormat: TraceFormat {
  let description = FormatDescription(
    name: "lirs",
    summary: "block numbers of the LIRS paper's traces, one per line",
    layout: """
      Text, one get per line: the line is a block number. Lines with only `*` (checkpoints) and
      blank lines are skipped. No sizes, no times.
      """,
    suffixes: [".trc", ".trace"], parameters: [.maxBad])

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    let lines = sample.lines()
    guard sample.isText, !lines.isEmpty, lines.allSatisfy({ LirsFormat.isMark($0) || isBlock($0) })
    else { return .none }
    if sample.isNamed(description.suffixes) { return .certain }
    return lines.contains(where: LirsFormat.isMark) ? .likely : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) -> any TraceDecoder { Decoder() }

  private static func isMark(_ line: ArraySlice<UInt8>) -> Bool { line.elementsEqual([0x2A]) }

  private func isBlock(_ line: ArraySlice<UInt8>) -> Bool {
    let words = line.split { $0 == 0x20 || $0 == 0x09 }
    return words.count == 1 && words[0].allSatisfy { $0 &- 0x30 <= 9 }
  }

  private struct Decoder: TraceDecoder {
    var columns: TraceColumns { [] }

    func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
      try reader.forEachLine(telling: batch) { line, number in
        let text = line.trimmed
        var field = text
        if let block = field.takeInteger(), field.isEmpty {
          return try batch.append(TraceRecord(key: block))
        }
        let isMark = text.count == 1 && text.next.pointee == 0x2A
        if text.isEmpty || isMark { return true }
        try batch.bad(
          TraceError(
            "expected a block number or '*', found \(line.quoted)", in: reader.path,
            at: .line(number), advice: "use --format txt for ids that are not numbers"))
        return true
      }
      _ = try batch.flush()
    }
  }
}
