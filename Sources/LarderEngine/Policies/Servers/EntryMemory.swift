/// Parameters that set how an object counts towards a capacity in bytes: with the overhead of the
/// modelled server's entries or with its size alone. `EvictionPolicy.entryBytes` computes an
/// entry's memory; the tier applies it when an object is stored.
public enum EntryMemory {
  /// The parameters of a policy whose entries have a `key` of this length, by default `bytes`,
  /// besides their value.
  public static func parameters(key: String, default bytes: Int) -> [PolicyParameter] {
    [
      PolicyParameter(
        "memory", default: "values",
        "values: an object counts with its size; server: with the memory of its entry in the "
          + "server"),
      PolicyParameter(
        "key", default: "\(bytes)", "bytes of \(key), with memory=server, 0 to 65535"),
    ]
  }

  /// True if objects count with the server's overhead.
  static func isGiven(in spec: PolicySpec) -> Bool { spec.values["memory"] == "server" }

  /// The length of a key if objects count with the server's overhead; nil if they count with their
  /// sizes.
  ///
  /// - Throws: `badValue`.
  package static func keyBytes(
    of spec: PolicySpec, _ description: PolicyDescription
  ) throws(PolicyError) -> UInt64? {
    guard description.parameters.contains(where: { $0.name == "memory" }) else { return nil }
    let memory = spec.values["memory"] ?? "values"
    guard ["values", "server"].contains(memory) else {
      throw .badValue(
        policy: spec.name, parameter: "memory", value: memory, expected: "values or server")
    }
    let standard = description.parameters.first { $0.name == "key" }?.defaultValue
    let bytes = try spec.integer("key", default: standard.flatMap { Int($0) } ?? 0, in: 0...65_535)
    return isGiven(in: spec) ? UInt64(bytes) : nil
  }

  /// The size of jemalloc's allocation for a request of `bytes`, built with Redis's quantum of 8
  /// bytes: multiples of 8 up to 64, then four classes for each doubling.
  static func allocated(_ bytes: UInt64) -> UInt64 {
    guard bytes > 64 else { return max(8, (bytes + 7) / 8 * 8) }
    let step = UInt64(1) << (61 - UInt64((bytes - 1).leadingZeroBitCount))
    return (bytes + step - 1) / step * step
  }
}
