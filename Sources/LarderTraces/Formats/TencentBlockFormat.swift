import LarderEngine

/// Block traces of Tencent's cloud block storage (CBS).
///
/// Zhang et al., "OSCA: An Online-Model Based Cache Allocation Scheme in Cloud Block Storage
/// Systems", USENIX ATC 2020; published by SNIA IOTTA.
struct TencentBlockFormat: TraceFormat {
  let description = FormatDescription(
    name: "tencent-block",
    summary: "Tencent's CBS block traces: `timestamp,offset,size,type,volume` per line",
    layout: """
      Text without a header, five fields separated by commas: time in seconds, offset in sectors of
      512 bytes, size in sectors, type (0 reads, 1 writes), volume. An object is an offset of a
      volume, or with block= a block of it.
      """,
    suffixes: [".tencent.csv"], parameters: BlockTable.parameters)

  private static let table = BlockTable(
    device: 4...4, operation: 3, offset: 1, length: 2, time: 0, fieldCount: 5, offsetUnit: 512,
    lengthUnit: 512, timeUnit: .unit(.seconds))

  func recognise(_ sample: FormatSample) -> FormatConfidence {
    let rows = BlockTable.rows(sample, fields: Self.table.fieldCount)
    let fits = rows.allSatisfy { row in
      row.count == 5 && BlockTable.isNumber(row[0], digits: 10...10)
        && [1, 2, 4].allSatisfy { BlockTable.isNumber(row[$0]) }
        && (row[3].elementsEqual([0x30]) || row[3].elementsEqual([0x31]))
    }
    // In other tables of five numbers the fourth is rarely limited to 0 and 1.
    if rows.count > 1 && fits && Set(rows.map { $0[3].first }).count == 2 { return .certain }
    return sample.isText && sample.isNamed(description.suffixes) ? .certain : .none
  }

  func decoder(options: ParameterReader, sample: FormatSample) throws -> any TraceDecoder {
    var decoder = try BlockTableDecoder(Self.table, options)
    decoder.remarks.append(
      "The table is read as Tencent's: time, offset and size in sectors, 0 or 1, volume.")
    return decoder
  }
}
