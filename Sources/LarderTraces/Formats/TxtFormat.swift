import LarderEngine

/// One object per line.
struct TxtFormat: TraceFormat {
  let description = FormatDescription(
    name: "txt",
    summary: "text, one object id per line",
    layout: """
      Text, one get per line: the line without surrounding blanks is the object's id. Whole numbers
      are their own keys, other ids are hashed (64 bits). Blank lines are skipped. No sizes, no
      times.
      """,
    suffixes: [".txt"], parameters: [.maxBad])

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    let lines = sample.lines()
    guard sample.isText, !lines.isEmpty,
      lines.allSatisfy({ !$0.contains { byte in [0x20, 0x09, 0x2C, 0x3B].contains(byte) } })
    else { return .none }
    return sample.isNamed(description.suffixes) ? .certain : .possible
  }

  func decoder(options: ParameterReader, sample: FormatSample) -> any TraceDecoder { Decoder() }

  private struct Decoder: TraceDecoder {
    var columns: TraceColumns { [] }

    func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
      try reader.forEachLine(telling: batch) { line, _ in
        let id = line.trimmed
        return id.isEmpty ? true : try batch.append(TraceRecord(key: KeyHash.key(id)))
      }
      _ = try batch.flush()
    }
  }
}
