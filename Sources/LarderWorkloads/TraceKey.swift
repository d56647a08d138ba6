import LarderTraces

/// One of the traces of a workload before anything of it has been read: its source and its seed.
package struct TraceKey: Hashable, Sendable {
  /// The place of the source among the workload's.
  package let source: Int
  /// The seed; nil where it changes nothing.
  package let seed: UInt64?

  /// A key.
  package init(source: Int = 0, seed: UInt64?) {
    self.source = source
    self.seed = seed
  }
}

extension Workload {
  /// The traces, each once, in the order of the sources and of the seeds.
  package var traceKeys: [TraceKey] {
    sources.enumerated().flatMap { place, source -> [TraceKey] in
      guard source.dependsOnSeed else { return [TraceKey(source: place, seed: nil)] }
      var seen: Set<UInt64> = []
      return seeds.filter { seen.insert($0).inserted }.map { TraceKey(source: place, seed: $0) }
    }
  }
}
