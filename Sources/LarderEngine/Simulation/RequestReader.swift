/// Reads requests from columns of which some may be missing.
@usableFromInline
struct RequestReader {
  @usableFromInline let columns: RequestColumns
  @usableFromInline let countsBytes: Bool

  /// A reader whose requests have sizes in `unit`.
  @inlinable
  init(_ columns: RequestColumns, unit: CapacityUnit) {
    self.columns = columns
    countsBytes = unit == .bytes
  }

  /// The operation, the time in microseconds and the time to live in seconds.
  @inlinable
  @inline(__always)
  func context(at index: Int) -> (Operation, now: UInt64, ttl: UInt32) {
    var operation = Operation.get
    if let raw = columns.operations?[index] { operation = Operation(rawValue: raw) ?? .get }
    return (operation, columns.times?[index] ?? 0, columns.ttls?[index] ?? 0)
  }

  /// The request, without an expiry.
  @inlinable
  @inline(__always)
  func request(at index: Int) -> Request {
    Request(
      id: columns.ids[index], size: countsBytes ? bytes(at: index) : 1, index: UInt64(index),
      nextUse: columns.nextUses?[index] ?? Request.never, cost: columns.costs?[index] ?? 1)
  }

  /// The size in bytes; 1 where the trace has none.
  @inlinable
  @inline(__always)
  func bytes(at index: Int) -> UInt32 { columns.sizes?[index] ?? 1 }
}
