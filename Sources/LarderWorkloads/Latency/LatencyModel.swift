import LarderEngine

/// What an access costs at each place where a request may be answered.
///
/// What is charged: every place that is asked, in order, and the transfer from the one that
/// answers. A hit in memory costs the memory access. A hit on disk costs a look into memory, where
/// there is a memory tier, and the disk access. A miss costs the looks into all tiers and the
/// origin. Storing is not charged: a cache can do it after the answer. The places' times are
/// independent of each other.
package struct LatencyModel: Sendable, Hashable {
  /// An access to memory.
  package var memory: AccessLatency
  /// An access to disk.
  package var disk: AccessLatency
  /// A fetch from the origin.
  package var origin: AccessLatency

  /// A model; a place that no configuration has may be left out.
  package init(
    memory: AccessLatency = AccessLatency(), disk: AccessLatency = AccessLatency(),
    origin: AccessLatency
  ) {
    self.memory = memory
    self.disk = disk
    self.origin = origin
  }

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
  package var base: LatencyDistribution
  /// Nanoseconds for each byte transferred.
  package var nanosecondsPerByte: Double

  /// An access; by default one that takes no time.
  package init(base: LatencyDistribution = .constant(0), nanosecondsPerByte: Double = 0) {
    self.base = base
    self.nanosecondsPerByte = nanosecondsPerByte
  }
}
