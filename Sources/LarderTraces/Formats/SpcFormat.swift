import LarderEngine

/// Block traces in the format of the Storage Performance Council, as UMass publishes them.
///
/// "SPC Trace File Format Specification", revision 1.0.1; WebSearch and Financial in the UMass
/// Trace Repository.
struct SpcFormat: TraceFormat {
  let description = FormatDescription(
    name: "spc",
    summary: "block traces in SPC format: WebSearch and Financial of UMass",
    layout: """
      Text, fields separated by commas: application's unit (ASU), block address of 512 bytes, bytes,
      opcode (R or W), time in seconds, and further fields that are ignored. An object is an
      address of a unit, or with block= a block of it.
      """,
    suffixes: [".spc"], parameters: BlockTable.parameters)

  private static let table = BlockTable(
    device: 0...0, operation: 3, offset: 1, length: 2, time: 4, fieldCount: 5, mayHaveMore: true,
    offsetUnit: 512, timeUnit: .unit(.seconds))

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    let rows = BlockTable.rows(sample, fields: Self.table.fieldCount)
    let fits = rows.allSatisfy { row in
      row[..<3].allSatisfy { BlockTable.isNumber($0) } && row[3].count == 1
        && "RrWw".utf8.contains(row[3].first ?? 0)
        && Double(String(decoding: row[4], as: UTF8.self)) != nil
    }
    if !rows.isEmpty && fits { return .certain }
    return sample.isText && sample.isNamed(description.suffixes) ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    try BlockTableDecoder(Self.table, options)
  }
}
