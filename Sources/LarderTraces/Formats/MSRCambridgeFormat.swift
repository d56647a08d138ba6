import LarderEngine

/// Block traces of the enterprise servers of Microsoft Research Cambridge.
///
/// Narayanan, Donnelly and Rowstron, "Write Off-Loading: Practical Power Management for Enterprise
/// Storage", FAST 2008; published by SNIA IOTTA.
struct MSRCambridgeFormat: TraceFormat {
  let description = FormatDescription(
    name: "msr-cambridge",
    summary: "MSR Cambridge block traces from SNIA",
    layout: """
      Text, seven fields separated by commas: time in units of 100 ns since 1601, host, disk, Read
      or Write, offset in bytes, length in bytes, response time. A read becomes one get for each
      block that it touches, with the size of a block; a write is skipped, or with writes=true
      becomes one set for each. An object is a block of a disk of a host.
      """,
    suffixes: [".msr", ".msr.csv"],
    parameters: [
      FormatParameter(name: "block", fallback: "512", meaning: "bytes per block"),
      FormatParameter(name: "writes", fallback: "false", meaning: "true includes writes, as sets"),
    ])

  private static let fieldCount = 7
  /// A line of more blocks than this is damage, not a request.
  private static let runMaximum: UInt64 = 1 << 24

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    guard sample.isText else { return .none }
    if sample.isNamed(description.suffixes) { return .certain }
    let lines = sample.lines()
    let fits = lines.allSatisfy { line in
      let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      guard fields.count == MSRCambridgeFormat.fieldCount else { return false }
      let type = String(decoding: fields[3], as: UTF8.self)
      return (type == "Read" || type == "Write") && fields[0].count >= 17
        && fields[0].allSatisfy { $0 &- 0x30 <= 9 }
    }
    return !lines.isEmpty && fits ? .certain : .none
  }

  func decoder(options: FormatOptions, sample: FormatSample) throws -> any TraceDecoder {
    let block = options.text("block").map { UInt32($0) } ?? 512
    guard let block, block > 0 else {
      throw options.wrong("block", expected: "a number of bytes of at least 1")
    }
    return Decoder(block: block, keepsWrites: try options.flag("writes") ?? false)
  }

  private struct Decoder: TraceDecoder {
    let block: UInt32
    let keepsWrites: Bool

    var columns: TraceColumns { keepsWrites ? [.size, .time, .operation] : [.size, .time] }

    func decode(_ reader: ByteReader, into batch: RecordBatch) throws {
      try reader.forEachLine { line, number in
        if line.trimmed.isEmpty { return true }
        let table = TableLine(line, delimiter: UInt8(ascii: ","), path: reader.path, number)
        let fields = try table.fields(count: MSRCambridgeFormat.fieldCount)
        let type = fields[3].text
        guard type == "Read" || type == "Write" else {
          throw table.error("expected Read or Write, found \(fields[3].quoted)")
        }
        let time = try table.number(fields[0], "time") / 10
        let disk = KeyHash.hash("\(fields[1].text),\(try table.number(fields[2], "disk"))")
        let (first, count) = try run(table, fields[4], fields[5])
        if type == "Write", !keepsWrites { return true }
        for place in 0..<count {
          let key = disk &+ (first + place) &* 0x9E37_79B9_7F4A_7C15
          let record = TraceRecord(
            key: key, time: time, size: block, operation: type == "Read" ? .get : .set)
          guard try batch.append(record) else { return false }
        }
        return true
      }
      _ = try batch.flush()
    }

    /// The first block that a line touches, and how many.
    private func run(
      _ table: TableLine, _ offsetField: TextField, _ lengthField: TextField
    ) throws(TraceError) -> (first: UInt64, count: UInt64) {
      let offset = try table.number(offsetField, "offset")
      let length = try table.number(lengthField, "length")
      let (end, overflows) = offset.addingReportingOverflow(length)
      let size = UInt64(block)
      guard !overflows, length / size <= MSRCambridgeFormat.runMaximum else {
        throw table.error("invalid request of \(length) bytes at offset \(offset)")
      }
      return (offset / size, length == 0 ? 0 : (end - 1) / size - offset / size + 1)
    }
  }
}
