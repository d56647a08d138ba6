/// The value of a distribution for each object: drawn from the key and the seed, so that neither
/// the order of requests nor the number of them matters. Values that cost more than a memory access
/// are kept in a table.
struct ObjectValues {
  private let distribution: ValueDistribution
  private let seed: UInt64
  /// Drawn values by key; 0 where none has been drawn. Empty when there is no table.
  private var drawn: [UInt32]

  /// Objects above which values are computed each time: a table of 128 MiB.
  private static let tableMax = 1 << 25

  /// The values for objects with keys below `keyLimit`. Complexity: O(keyLimit).
  init(_ distribution: ValueDistribution, keyLimit: Int?, seed: UInt64) {
    self.distribution = distribution
    self.seed = seed
    let wantsTable =
      switch distribution {
      case .constant, .uniform: false
      default: true
      }
    let size = wantsTable ? keyLimit ?? .max : .max
    drawn = size <= Self.tableMax ? [UInt32](repeating: 0, count: size) : []
  }

  /// Writes each record's size.
  mutating func fillSizes(of records: UnsafeMutableBufferPointer<TraceRecord>) {
    each(records) { $0.size = $1 }
  }

  /// Writes each record's time to live.
  mutating func fillTTLs(of records: UnsafeMutableBufferPointer<TraceRecord>) {
    each(records) { $0.ttl = $1 }
  }

  /// The value of one object.
  @inline(__always)
  mutating func value(of key: UInt64) -> UInt32 {
    if drawn.isEmpty { return distribution.value(RandomStream.derived(seed, key)) }
    let place = Int(truncatingIfNeeded: key)
    var value = drawn[place]
    if value == 0 {
      value = distribution.value(RandomStream.derived(seed, key))
      drawn[place] = value
    }
    return value
  }

  @inline(__always)
  private mutating func each(
    _ records: UnsafeMutableBufferPointer<TraceRecord>,
    _ store: (inout TraceRecord, UInt32) -> Void
  ) {
    if let constant = distribution.constantValue {
      for index in records.indices { store(&records[index], constant) }
    } else {
      for index in records.indices { store(&records[index], value(of: records[index].key)) }
    }
  }
}
