import LarderEngine

/// Alibaba's block traces.
///
/// Li, Wang, Lee and Shi, "An In-Depth Comparative Analysis of Cloud Block Storage Workloads:
/// Findings and Implications", ACM Transactions on Storage 19, 2023.
struct AlibabaBlockFormat: TraceFormat {
  let description = FormatDescription(
    name: "alibaba-block",
    summary: "Alibaba's block traces: `device,opcode,offset,length,timestamp` per line",
    layout: """
      Text without a header, five fields separated by commas: device, opcode (R or W), offset in
      bytes, length in bytes, time in microseconds. An object is an offset of a device, or with
      block= a block of it.
      """,
    suffixes: [".alibaba.csv"], parameters: BlockTable.parameters)

  private static let table = BlockTable(
    device: 0...0, operation: 1, offset: 2, length: 3, time: 4, fieldCount: 5,
    timeUnit: .unit(.microseconds))

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    let rows = BlockTable.rows(sample, fields: Self.table.fieldCount)
    let fits = rows.allSatisfy { row in
      row.count == 5 && row[1].count == 1 && "RrWw".utf8.contains(row[1].first ?? 0)
        && [0, 2, 3].allSatisfy { BlockTable.isNumber(row[$0]) }
        && BlockTable.isNumber(row[4], digits: 15...16)
    }
    if !rows.isEmpty && fits { return .certain }
    return sample.isText && sample.isNamed(description.suffixes) ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    try BlockTableDecoder(Self.table, options)
  }
}
