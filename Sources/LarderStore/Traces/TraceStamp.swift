import Foundation
import LarderSystem
import LarderTraces
import LarderWorkloads

/// By what a trace is recognised without being prepared: the source as it is written, the files it
/// reads, the seed, the columns that are kept, and the program that reads.
struct TraceStamp: Hashable, Sendable {
  /// The description.
  let text: String
  /// Its SHA-256.
  let digest: ContentDigest

  /// The stamp of a workload's source; nil where one of its files has none.
  ///
  /// - Throws: `StoreError` when the program cannot be read.
  init?(
    _ source: SourceSpec, seed: UInt64?, of workload: Workload, now: Int64 = FileStamp.now()
  ) throws(StoreError) {
    var lines = ["larder trace 1", try ProgramIdentity.reading()]
    let json = try ResultStore.json(source, "the source")
    lines.append(String(decoding: json, as: UTF8.self))
    lines.append("seed \(seed.map(String.init) ?? "none")")
    let all: TraceColumns = [.size, .time, .operation, .ttl, .cost, .prompt]
    // What is kept may depend on whether the trace has times to live.
    for available in [all, all.subtracting(.ttl)] {
      lines.append("keeps \(workload.neededColumns(of: available).names.joined(separator: ", "))")
    }
    for reference in source.references {
      for path in workload.resolved(reference).paths {
        guard let stamp = FileStamp(path, now: now) else { return nil }
        lines.append(stamp.text)
      }
    }
    text = lines.joined(separator: "\n")
    digest = ContentDigest(of: text)
  }
}

extension SourceSpec {
  /// The trace files among its parts, in order.
  var references: [TraceReference] {
    switch self {
    case .trace(let reference): [reference]
    case .generator: []
    case .phases(let parts, _): parts.flatMap(\.references)
    case .mix(let parts, _, _): parts.flatMap(\.source.references)
    }
  }
}
