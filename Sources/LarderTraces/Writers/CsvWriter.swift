import LarderEngine

/// Writes a table with a header, which the csv format reads without options.
public struct CsvWriter: TraceWriter {
  /// Name of the format.
  public let name = "csv"
  /// Summary of the stored columns in one line.
  public let summary = "text table with header: time, id, size, op, ttl, cost, as available"
  /// Columns that the format stores, in addition to the ids.
  public let columns: TraceColumns = [.size, .time, .operation, .ttl, .cost]

  /// Creates a writer.
  public init() {}

  /// Writes a trace, with its dense ids. If requests of one object have different sizes, the column
  /// is called `request_size`, which keeps them when the table is read again.
  ///
  /// - Complexity: O(requests).
  public func write(_ trace: PreparedTrace, to path: String) throws(TraceError) {
    let file = try OutputFile(path: path)
    do {
      try write(
        PreparedSource(trace), to: file,
        sizeName: Self.hasSizeChanges(trace) ? "request_size" : "size")
    } catch let error as TraceError {
      throw error
    } catch {
      throw TraceError("\(error)", in: path)
    }
  }

  /// Streams a source's records to the file, with the keys of the source (hashes for text ids),
  /// without keeping them in memory.
  ///
  /// - Throws: any error of the source, and when the file cannot be written; no file remains then.
  /// - Complexity: O(requests).
  public func write(_ source: some RecordSource, to path: String) throws {
    try write(source, to: OutputFile(path: path))
  }

  func write(
    _ source: some RecordSource, to file: OutputFile, sizeName: String = "size"
  ) throws {
    let fields = Self.fields(sizeName).filter { source.columns.isSuperset(of: $0.column) }
    try file.write(Array((fields.map(\.name).joined(separator: ",") + "\n").utf8))
    var line = DecimalText()
    try source.records { batch in
      for record in batch {
        for (index, field) in fields.enumerated() {
          if index > 0 { line.bytes.append(UInt8(ascii: ",")) }
          field.write(record, &line)
        }
        line.bytes.append(0x0A)
      }
      try file.write(line.bytes)
      line.bytes.removeAll(keepingCapacity: true)
      return true
    }
    try file.commit()
  }

  private typealias Field = (
    column: TraceColumns, name: String, write: (TraceRecord, inout DecimalText) -> Void
  )

  private static func fields(_ sizeName: String) -> [Field] {
    [
      (.time, "time", { $1.append(microseconds: $0.time) }), ([], "id", { $1.append($0.key) }),
      (.size, sizeName, { if $0.isSizeKnown { $1.append(UInt64($0.size)) } }),
      (
        .operation, "op",
        { $1.bytes += (Operation(rawValue: $0.operation) ?? .get).word.utf8 }
      ),
      (.ttl, "ttl", { $1.append(UInt64($0.ttl)) }),
      (.cost, "cost", { if $0.cost >= 0 { $1.bytes += "\($0.cost)".utf8 } }),
    ]
  }

  private static func hasSizeChanges(_ trace: PreparedTrace) -> Bool {
    guard let sizes = trace.requests.sizes else { return false }
    var first = [UInt32](repeating: 0, count: trace.requests.objects + 1)
    var seen: ObjectID = 0
    for index in 0..<trace.requests.count {
      let id = trace.requests.ids[index]
      if id > seen {
        seen = id
        first[Int(id)] = sizes[index]
      } else if first[Int(id)] != sizes[index] {
        return true
      }
    }
    return false
  }
}

extension Operation {
  /// Name in traces and reports.
  public var word: String { "\(self)" }
}

struct DecimalText {
  var bytes: [UInt8] = []

  mutating func append(_ number: UInt64) {
    var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
    withUnsafeMutableBytes(of: &digits) { space in
      var start = space.count
      var rest = number
      repeat {
        start -= 1
        space[start] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      } while rest > 0
      bytes.append(contentsOf: space[start...])
    }
  }

  mutating func append(microseconds time: UInt64) {
    append(time / 1_000_000)
    var fraction = time % 1_000_000
    guard fraction > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    var scale: UInt64 = 100_000
    while fraction > 0 {
      bytes.append(0x30 + UInt8(truncatingIfNeeded: fraction / scale))
      fraction %= scale
      scale /= 10
    }
  }
}
