import LarderEngine

/// The text traces of AdaptSize and webcachesim.
///
/// Berger, Sitaraman and Harchol-Balter, "AdaptSize: Orchestrating the Hot Object Memory Cache in a
/// Content Delivery Network", NSDI 2017.
struct AdaptSizeFormat: TraceFormat {
  let description = FormatDescription(
    name: "adapt-size",
    summary: "text of AdaptSize and webcachesim: `time id size` per line",
    layout: """
      Text, three numbers per line, separated by blanks: time, object, size in bytes. Every line is
      a get; blank lines are skipped. The id alone identifies the object (the original program
      treats the same id with another size as another object).
      """,
    suffixes: [".tr"], parameters: [.timeUnit, .skipZeroSize, .maxBad])

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    let lines = sample.lines()
    let fits = lines.allSatisfy { line in
      let words = line.split { $0 == 0x20 || $0 == 0x09 }
      return words.count == 3 && words.allSatisfy { $0.allSatisfy { $0 &- 0x30 <= 9 } }
    }
    if sample.isText, sample.isNamed(description.suffixes) { return .certain }
    return !lines.isEmpty && fits ? .likely : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    let (unit, note) = try options.timeUnit(of: sample.column(0, delimiter: 0x20))
    return Decoder(unit: unit, remarks: [note].compactMap { $0 })
  }

  private struct Decoder: TraceDecoder {
    let unit: TimeUnit
    let remarks: [String]
    var columns: TraceColumns { [.size, .time] }

    func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
      try reader.forEachLine(telling: batch) { line, number in
        var rest = line
        let (time, id, size) = (rest.takeField(), rest.takeField(), rest.takeField())
        rest.skipBlanks()
        var idText = id
        guard rest.isEmpty, let key = idText.takeInteger(), idText.isEmpty,
          let at = unit.microseconds(time), let bytes = SizeField.size(size)
        else {
          if line.trimmed.isEmpty { return true }
          try batch.bad(
            TraceError(
              problem(time, id, size, rest, line), in: reader.path, at: .line(number)))
          return true
        }
        return try batch.append(TraceRecord(key: key, time: at, size: bytes))
      }
      _ = try batch.flush()
    }

    private func problem(
      _ time: TextField, _ id: TextField, _ size: TextField, _ rest: TextField, _ line: TextField
    ) -> String {
      if size.isEmpty || !rest.isEmpty {
        return "expected three numbers (time, id, size), found \(line.quoted)"
      }
      if unit.microseconds(time) == nil { return unit.problem(time) }
      var idText = id
      if idText.takeInteger() == nil || !idText.isEmpty {
        return "expected the object's id as a whole number, found \(id.quoted)"
      }
      return SizeField.problem(size)
    }
  }
}
