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
      Parameter("block", .bytes(1...Int(UInt32.max)), default: "512", "bytes per block"),
      Parameter("writes", default: "false", "true includes writes, as sets"),
      .maxBad,
    ])

  private static let table = BlockTable(
    device: 1...2, operation: 3, offset: 4, length: 5, time: 0, fieldCount: 7,
    timeUnit: .fileTime)

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    guard sample.isText else { return .none }
    if sample.isNamed(description.suffixes) { return .certain }
    let lines = sample.lines()
    let fits = lines.allSatisfy { line in
      let fields = line.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
      guard fields.count == Self.table.fieldCount else { return false }
      let type = String(decoding: fields[3], as: UTF8.self)
      return (type == "Read" || type == "Write") && fields[0].count >= 17
        && fields[0].allSatisfy { $0 &- 0x30 <= 9 }
    }
    return !lines.isEmpty && fits ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    BlockTableDecoder(
      Self.table, block: try options.block() ?? 512,
      writes: try options.flag("writes") ?? false ? .set : .skip)
  }
}
