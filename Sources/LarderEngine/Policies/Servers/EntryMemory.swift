/// Whether objects take of a capacity in bytes what their entries would take of the server whose
/// rule a policy is, or their sizes alone: two parameters of such policies. What an entry takes is
/// `EvictionPolicy.entryBytes`; the tier applies it where an object is stored.
public enum EntryMemory {
  /// The parameters of a policy whose entries have a `key` of so many bytes besides their value.
  public static func parameters(key: String, default bytes: Int) -> [PolicyParameter] {
    [
      PolicyParameter(
        "memory", default: "values",
        "values: an object takes its size; server: what its entry takes of the server's limit"),
      PolicyParameter(
        "key", default: "\(bytes)", "bytes of \(key), with memory=server, 0 to 65535"),
    ]
  }

  /// Whether entries take what a server's would.
  static func isGiven(in spec: PolicySpec) -> Bool { spec.values["memory"] == "server" }

  /// The bytes of a key where entries take what a server's would; nil where they take their sizes.
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

  /// What jemalloc, made for a quantum of 8 bytes as Redis makes it, takes for so many bytes:
  /// multiples of 8 up to 64, then four classes for each doubling.
  static func allocated(_ bytes: UInt64) -> UInt64 {
    guard bytes > 64 else { return max(8, (bytes + 7) / 8 * 8) }
    let step = UInt64(1) << (61 - UInt64((bytes - 1).leadingZeroBitCount))
    return (bytes + step - 1) / step * step
  }
}
