import LarderEngine

/// Writes Larder's own format, whose columns are used directly from the file.
public struct LarderWriter: TraceWriter {
  /// Name of the format.
  public let name = LarderFormat.name
  /// Summary of the stored columns in one line.
  public let summary = "prepared trace: all columns, read without parsing"
  /// Columns that the format stores, in addition to the ids.
  public let columns: TraceColumns = [.size, .time, .operation, .ttl, .cost, .prompt]

  /// Creates a writer.
  public init() {}

  /// Writes a trace.
  ///
  /// - Throws: when the file cannot be written; no file remains then.
  /// - Complexity: O(requests): one pass for checksums, one to write.
  public func write(_ trace: PreparedTrace, to path: String) throws(TraceError) {
    try write(trace, to: OutputFile(path: path))
  }

  func write(_ trace: PreparedTrace, to file: OutputFile) throws(TraceError) {
    let columns = LarderWriter.columns(of: trace)
    var layout = LarderLayout()
    layout.name = trace.name
    layout.count = trace.requests.count
    layout.objects = trace.requests.objects
    layout.footprintBytes = trace.footprint.all
    layout.timesRaised = trace.timesRaised
    layout.sampling = trace.sampling
    for (column, bytes) in columns {
      layout.columns.append(
        .init(
          column: column, offset: 0, length: bytes.count, checksum: LarderChecksum.of(bytes)))
    }
    var end = layout.headerLength
    for index in layout.columns.indices {
      layout.columns[index].offset = LarderLayout.aligned(end)
      end = layout.columns[index].offset + layout.columns[index].length
    }
    layout.fileLength = end
    let header = layout.encoded()
    try file.write(header)
    var position = header.count
    for (entry, column) in zip(layout.columns, columns) {
      try file.write([UInt8](repeating: 0, count: entry.offset - position))
      try file.write(column.bytes)
      position = entry.offset + entry.length
    }
    try file.commit()
  }

  private static func columns(
    of trace: PreparedTrace
  ) -> [(column: LarderColumn, bytes: UnsafeRawBufferPointer)] {
    let requests = trace.requests
    func bytes(_ start: UnsafeRawPointer?, _ column: LarderColumn) -> UnsafeRawBufferPointer? {
      start.map { UnsafeRawBufferPointer(start: $0, count: requests.count * column.elementSize) }
    }
    return LarderColumn.allCases.compactMap { column in
      let start: UnsafeRawPointer? =
        switch column {
        case .ids: UnsafeRawPointer(requests.ids)
        case .sizes: requests.sizes.map { UnsafeRawPointer($0) }
        case .times: requests.times.map { UnsafeRawPointer($0) }
        case .operations: requests.operations.map { UnsafeRawPointer($0) }
        case .ttls: requests.ttls.map { UnsafeRawPointer($0) }
        case .costs: requests.costs.map { UnsafeRawPointer($0) }
        case .prompts: trace.prompts.map { UnsafeRawPointer($0) }
        }
      return bytes(start, column).map { (column, $0) }
    }
  }
}
