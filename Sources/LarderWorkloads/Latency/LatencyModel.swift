import LarderEngine

/// What an access costs at each place where a request may be answered.
///
/// What is charged: every place that is asked, in order, and the transfer from the one that
/// answers. A hit in memory costs the memory access. A hit on disk costs a look into memory, where
/// there is a memory tier, and the disk access. A miss costs the looks into all tiers and the
/// origin. Storing is not charged: a cache can do it after the answer. The places' times are
/// independent of each other.
package struct LatencyModel: Sendable, Hashable {
  /// An access to memory; nothing where no configuration has it.
  package var memory = AccessLatency()
  /// An access to disk; nothing where no configuration has it.
  package var disk = AccessLatency()
  /// A fetch from the origin; nothing where the trace says what it takes.
  package var origin: AccessLatency
  /// Whether a fetch takes what the trace says: the request's cost, in milliseconds.
  package var isOriginFromTrace = false

  /// The places that requests to a configuration of this kind come past, the origin last.
  package func places(of kind: ConfigurationKind) -> [AccessLatency] {
    switch kind {
    case .memory: [memory, origin]
    case .disk: [disk, origin]
    case .hybrid: [memory, disk, origin]
    }
  }
}

/// The time of one access: a part that is drawn, and a part that grows with the size.
package struct AccessLatency: Sendable, Hashable {
  /// The part that does not depend on the size.
  package var base = LatencyDistribution.constant(0)
  /// Nanoseconds for each byte transferred.
  package var nanosecondsPerByte = 0.0
}
