/// The memory of an entry in a modelled server, and the parameters that set how an object counts
/// towards a capacity in bytes: with the overhead of the server's entries or with its size alone.
/// The tier applies it when an object is stored.
public struct EntryMemory: Sendable {
  let parameters: [PolicyParameter]
  private let keyBytes: Int
  private let bytes: @Sendable (PolicySpec, _ value: UInt64, _ key: UInt64) -> UInt64

  /// Creates the rule for entries with a `key` of `keyBytes` by default besides their value.
  public init(
    key: String, default keyBytes: Int,
    _ bytes: @escaping @Sendable (PolicySpec, _ value: UInt64, _ key: UInt64) -> UInt64
  ) {
    parameters = [
      PolicyParameter(
        "memory", default: "server", inRealCaches: "values",
        "server: an object counts with the memory of its entry in the server; values: with its "
          + "size"),
      PolicyParameter(
        "key", default: "\(keyBytes)",
        "bytes of \(key), with memory=server, 0 to 65535; 0 if sizes contain them"),
    ]
    self.keyBytes = keyBytes
    self.bytes = bytes
  }

  static func isGiven(in spec: PolicySpec) -> Bool { spec.values["memory"] != "values" }

  /// True if the memory of a server counts, in a cache whose capacity is in bytes.
  public static func counts(_ setup: PolicySetup) throws(PolicyError) -> Bool {
    let memory = try setup.spec.choice("memory", "server", "values")
    return setup.unit == .bytes && memory == "server"
  }

  /// The size of an entry by that of its value, with the server's overhead; nil without it.
  @usableFromInline package static func sizes(
    of spec: PolicySpec, _ description: PolicyDescription
  ) throws(PolicyError) -> (@Sendable (_ value: UInt32) -> UInt32)? {
    guard let entry = description.entryMemory else { return nil }
    _ = try spec.choice("memory", "server", "values")
    let key = UInt64(try spec.integer("key", default: entry.keyBytes, in: 0...65_535))
    guard isGiven(in: spec) else { return nil }
    let bytes = entry.bytes
    return { (value: UInt32) -> UInt32 in UInt32(clamping: bytes(spec, UInt64(value), key)) }
  }

  /// The bytes that jemalloc allocates, in steps of a `quantum` up to 64 bytes.
  package static func allocated(_ bytes: UInt64, quantum: UInt64 = 8) -> UInt64 {
    guard bytes > 64 else { return bytes <= 8 ? 8 : (bytes + quantum - 1) / quantum * quantum }
    let step = UInt64(1) << (61 - UInt64((bytes - 1).leadingZeroBitCount))
    return (bytes + step - 1) / step * step
  }
}
