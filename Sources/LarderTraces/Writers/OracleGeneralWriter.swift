import LarderEngine

/// Writes libCacheSim's binary records, with the next use of each request, for running the trace
/// there.
public struct OracleGeneralWriter: TraceWriter {
  /// Name of the format.
  public let name = "oracle-general"
  /// Summary of the stored columns in one line.
  public let summary = "libCacheSim's binary records: whole seconds, sizes, gets only"
  /// Columns that the format stores, in addition to the ids.
  public let columns: TraceColumns = [.size, .time]

  /// Creates a writer.
  public init() {}

  /// Writes a trace: times rounded down to seconds (0 without times), sizes (1 without sizes), and
  /// no TTLs or costs.
  ///
  /// - Throws: for operations other than get, for a time beyond 2^32-1 seconds, for more requests
  ///   than next uses can be found for, and when the file cannot be written.
  /// - Complexity: O(requests).
  public func write(_ trace: PreparedTrace, to path: String) throws(TraceError) {
    try OracleGeneralWriter.check(trace)
    let requests = try trace.withNextUses().requests
    let file = try OutputFile(path: path)
    var bytes: [UInt8] = []
    let stretch = 4096
    bytes.reserveCapacity(stretch * BinaryFormat.oracleGeneralSize)
    for index in 0..<requests.count {
      let next = requests.nextUses?[index] ?? Request.never
      append(UInt32(truncatingIfNeeded: (requests.times?[index] ?? 0) / 1_000_000), to: &bytes)
      append(UInt64(requests.ids[index]), to: &bytes)
      append(requests.sizes?[index] ?? 1, to: &bytes)
      // libCacheSim counts requests from 1.
      append(next == Request.never ? -1 : Int64(next) + 1, to: &bytes)
      if bytes.count == stretch * BinaryFormat.oracleGeneralSize {
        try file.write(bytes)
        bytes.removeAll(keepingCapacity: true)
      }
    }
    try file.write(bytes)
    try file.commit()
  }

  private static func check(_ trace: PreparedTrace) throws(TraceError) {
    let requests = trace.requests
    if let operations = requests.operations,
      let index = (0..<requests.count).first(where: { operations[$0] != Operation.get.rawValue })
    {
      throw TraceError(
        "request \(index + 1) is not a get, and oracle-general has no operations",
        in: trace.name, advice: "write larder or csv")
    }
    let lastTime = requests.count > 0 ? requests.times?[requests.count - 1] ?? 0 : 0
    if lastTime / 1_000_000 > UInt64(UInt32.max) {
      throw TraceError(
        "times exceed 2^32-1 seconds, the limit of oracle-general", in: trace.name,
        advice: "write larder or csv")
    }
  }

  @inline(__always) private func append<Value: FixedWidthInteger>(
    _ value: Value, to bytes: inout [UInt8]
  ) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }
}
