import LarderEngine
import LarderLibc
package import LarderSupport

/// A format that prepared traces can be written in. A new one is a row of `all`.
package struct TraceWriter: Sendable {
  /// Name of the format, also for reading.
  package let name: String
  /// Columns that the format stores, in addition to the ids.
  package let columns: TraceColumns
  let content: @Sendable (PreparedTrace, OutputFile) throws(TraceError) -> Void

  /// Writes a trace: the file is complete or missing.
  package func write(_ trace: PreparedTrace, to path: String) throws(TraceError) {
    try write(trace, to: OutputFile(path: path))
  }

  func write(_ trace: PreparedTrace, to file: OutputFile) throws(TraceError) {
    try content(trace, file)
    try file.commit()
  }

  package static func named(_ name: String) throws(ComponentError) -> TraceWriter {
    if let writer = all.first(where: { $0.name == name }) { return writer }
    throw ComponentError(
      component: name, parameter: nil,
      message: "cannot write this format; expected one of "
        + "\(all.map(\.name).joined(separator: ", "))")
  }

  /// Writer for a file name's suffix; nil for an unknown suffix.
  package static func forPath(_ path: String) -> TraceWriter? {
    let name = path.lowercased()
    return all.first { writer in
      let format = try? FormatRegistry.format(named: writer.name)
      return format?.description.suffixes.contains { name.hasSuffix($0) } ?? false
    }
  }
}

extension TraceWriter {
  package static let all = [larder, csv, oracleGeneral]

  /// Larder's own format, whose columns are used directly from the file.
  package static let larder = TraceWriter(
    name: LarderFormat.name, columns: [.size, .time, .operation, .ttl, .cost, .prompt]
  ) { trace, file throws(TraceError) in
    let columns = LarderColumn.allCases.compactMap { column in
      trace.bytes(of: column).map { (column, $0) }
    }
    let layout = LarderLayout(of: trace, columns)
    let header = layout.encoded()
    try file.write(header)
    var position = header.count
    for (entry, (_, bytes)) in zip(layout.columns, columns) {
      try file.write([UInt8](repeating: 0, count: entry.offset - position))
      try file.write(bytes)
      position = entry.offset + entry.length
    }
  }

  /// A table with a header, which the csv format reads without options. If requests of one object
  /// have different sizes, the column is called `request_size`, which keeps them when the table is
  /// read again.
  static let csv = TraceWriter(name: "csv", columns: [.size, .time, .operation, .ttl, .cost]) {
    trace, file throws(TraceError) in
    let all: [(column: TraceColumns, name: String, text: (TraceRecord) -> String)] = [
      (.time, "time", { seconds($0.time) }), ([], "id", { String($0.key) }),
      (.size, hasSizeChanges(trace) ? "request_size" : "size", { String($0.size) }),
      (.operation, "op", { (Operation(rawValue: $0.operation) ?? .get).word }),
      (.ttl, "ttl", { String($0.ttl) }), (.cost, "cost", { "\($0.cost)" }),
    ]
    let fields = all.filter { trace.columns.isSuperset(of: $0.column) }
    var text = Array((fields.map(\.name).joined(separator: ",") + "\n").utf8)
    for index in 0..<trace.requests.count {
      let record = trace.record(at: index)
      for (place, field) in fields.enumerated() {
        if place > 0 { text.append(UInt8(ascii: ",")) }
        text += field.text(record).utf8
      }
      text.append(UInt8(ascii: "\n"))
      if text.count < 1 << 16 { continue }
      try file.write(text)
      text.removeAll(keepingCapacity: true)
    }
    try file.write(text)
  }

  /// Seconds with as many decimals as needed.
  private static func seconds(_ microseconds: UInt64) -> String {
    let whole = String(microseconds / 1_000_000)
    var fraction = String(microseconds % 1_000_000 + 1_000_000).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return fraction.isEmpty ? whole : "\(whole).\(fraction)"
  }

  private static func hasSizeChanges(_ trace: PreparedTrace) -> Bool {
    guard let sizes = trace.requests.sizes else { return false }
    var first = [UInt32?](repeating: nil, count: trace.requests.objects + 1)
    return (0..<trace.requests.count).contains { index in
      let id = Int(trace.requests.ids[index])
      let size = first[id] ?? sizes[index]
      first[id] = size
      return size != sizes[index]
    }
  }

  /// libCacheSim's records, for running the trace there: times rounded down to seconds (0 without
  /// times), sizes (1 without sizes), and the next use of each request.
  static let oracleGeneral = TraceWriter(name: "oracle-general", columns: [.size, .time]) {
    trace, file throws(TraceError) in
    try checkOracleGeneral(trace)
    let requests = try trace.withNextUses().requests
    var bytes: [UInt8] = []
    for index in 0..<requests.count {
      let next = requests.nextUses?[index] ?? Request.never
      append(UInt32(truncatingIfNeeded: (requests.times?[index] ?? 0) / 1_000_000), to: &bytes)
      append(UInt64(requests.ids[index]), to: &bytes)
      append(requests.sizes?[index] ?? 1, to: &bytes)
      // libCacheSim counts requests from 1.
      append(next == Request.never ? -1 : Int64(next) + 1, to: &bytes)
      if bytes.count < 1 << 16 { continue }
      try file.write(bytes)
      bytes.removeAll(keepingCapacity: true)
    }
    try file.write(bytes)
  }

  private static func checkOracleGeneral(_ trace: PreparedTrace) throws(TraceError) {
    func wrong(_ message: String) -> TraceError {
      TraceError(message, in: trace.name, advice: "write larder or csv")
    }
    let requests = trace.requests
    if let operations = requests.operations,
      let index = (0..<requests.count).first(where: { operations[$0] != Operation.get.rawValue })
    {
      throw wrong("request \(index + 1) is not a get, and oracle-general has no operations")
    }
    let lastTime = requests.count > 0 ? requests.times?[requests.count - 1] ?? 0 : 0
    if lastTime / 1_000_000 > UInt64(UInt32.max) {
      throw wrong("times exceed 2^32-1 seconds, the limit of oracle-general")
    }
  }

  @inline(__always) private static func append<Value: FixedWidthInteger>(
    _ value: Value, to bytes: inout [UInt8]
  ) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }
}

extension Operation {
  /// Name in traces and reports.
  package var word: String { "\(self)" }
}

/// An `AtomicFile` that throws trace errors, with the offset at which writing failed.
package struct OutputFile {
  private let file: AtomicFile

  package init(path: String, files: any FileLayer = SystemFiles()) throws(TraceError) {
    do throws(AtomicFileError) {
      file = try AtomicFile(path, files: files)
    } catch {
      throw Self.error(error)
    }
  }

  /// Checks that a file can be written at `path`: see `AtomicFile.check`.
  package static func check(_ path: String) throws(TraceError) {
    do throws(AtomicFileError) {
      try AtomicFile.check(path)
    } catch {
      throw Self.error(error)
    }
  }

  private static func error(_ error: AtomicFileError) -> TraceError {
    TraceError("cannot be written: \(error.reason)", in: error.path)
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(TraceError) {
    try step { () throws(AtomicFileError) in try file.write(bytes) }
  }

  func write(_ bytes: [UInt8]) throws(TraceError) {
    try step { () throws(AtomicFileError) in try file.write(bytes) }
  }

  func commit() throws(TraceError) { try step { () throws(AtomicFileError) in try file.commit() } }

  private func step(_ body: () throws(AtomicFileError) -> Void) throws(TraceError) {
    do throws(AtomicFileError) {
      try body()
    } catch {
      throw TraceError(
        "writing failed: \(error.reason)", in: error.path, at: .byte(file.written),
        advice: error.code == ENOSPC ? "free disk space; no partial file was left" : nil)
    }
  }
}
