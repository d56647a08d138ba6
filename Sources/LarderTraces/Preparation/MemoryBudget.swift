/// How much memory preparing a trace may take: what the machine has left, but for a reserve.
///
/// On Linux memory is promised freely and a process that uses what it was promised is killed
/// without a word. So what is known to be needed is compared with what is left before it is taken,
/// and what is not known in advance is watched on the way.
package struct MemoryBudget: Sendable {
  /// Bytes that are left now. Asked again for every check.
  package let available: @Sendable () -> UInt64

  /// What this machine, or the limit that it is run under, has left.
  package static let machine = MemoryBudget { AvailableMemory.bytes }

  /// A budget of which `available` says how many bytes are left.
  package init(available: @escaping @Sendable () -> UInt64) { self.available = available }

  /// What stays for everything else: 256 MiB, or a sixteenth of a small machine or limit.
  static let reserve = min(256 << 20, AvailableMemory.limitBytes / 16)

  /// Checks that `bytes` can be taken.
  ///
  /// - Parameters:
  ///   - purpose: what for: the beginning of the sentence, in the plural.
  ///   - source: the trace.
  ///   - advice: what the user can do.
  /// - Throws: `TraceError` with the need and what is left.
  func check(
    _ bytes: UInt64, for purpose: String, in source: String, advice: String
  ) throws(TraceError) {
    let available = available()
    guard bytes > available - min(available, Self.reserve) else { return }
    throw Self.shortage(
      "\(purpose) need \(Self.text(bytes)) of memory, but only \(Self.text(available)) are left",
      in: source, advice: advice)
  }

  /// Checks while a trace is read whose length is not known that the reserve is not used.
  ///
  /// - Parameter requests: how many have been read.
  /// - Throws: `TraceError` when there is less left than the reserve.
  func checkReserve(after requests: Int, in source: String) throws(TraceError) {
    let available = available()
    guard available < Self.reserve else { return }
    throw Self.shortage(
      "\(requests) requests are read, more follow, and only \(Self.text(available)) of memory are "
        + "left",
      in: source,
      advice: "use a part of the trace, or read a sample of its objects: --sample 1/100")
  }

  private static func shortage(
    _ message: String, in source: String, advice: String
  ) -> TraceError {
    var error = TraceError(message, in: source, advice: advice)
    error.isMemoryShortage = true
    return error
  }

  /// Bytes with one decimal, such as `17.2 GB`.
  package static func text(_ bytes: UInt64) -> String {
    let units: [(name: String, bytes: UInt64)] = [
      ("PB", 1_000_000_000_000_000), ("TB", 1_000_000_000_000), ("GB", 1_000_000_000),
      ("MB", 1_000_000),
    ]
    guard let unit = units.first(where: { bytes >= $0.bytes }) else { return "\(bytes) bytes" }
    let tenths = bytes / (unit.bytes / 10)
    return "\(tenths / 10).\(tenths % 10) \(unit.name)"
  }
}
