/// Where in a workload file things stand, for errors that are found when its traces are known.
package struct WorkloadLines: Sendable, Hashable {
  /// The file as it was named; empty for a workload that came from none.
  package var file = ""
  /// Line of each configuration, by name.
  package var configurations: [String: Int] = [:]
  /// Line of each capacity of the sweep, as it is written there.
  package var capacities: [String: Int] = [:]
  /// Line of the key `unit`, or of `ignore-size`.
  package var unit: Int?

  /// Nothing is known.
  package init() {}
}

extension Workload {
  /// An error of the plan with the place that it speaks of: `w.yaml:12: configuration ...`.
  package func message(for error: PlanError) -> String {
    guard !lines.file.isEmpty else { return error.description }
    return "\(lines.file)\(line(of: error).map { ":\($0)" } ?? ""): \(error)"
  }

  private func line(of error: PlanError) -> Int? {
    switch error {
    case .capacity(let error, let configuration, _):
      // A capacity that stands in the configuration itself is told at that.
      let spec = configurations.first { $0.name == configuration }
      let own = [spec?.memory.capacity, spec?.disk.capacity].compactMap { $0?.description }
      return own.contains(error.text)
        ? lines.configurations[configuration]
        : lines.capacities[error.text] ?? lines.configurations[configuration]
    case .memoryTooSmall(let configuration, _, _, _), .noPolicy(let configuration),
      .noCapacity(let configuration), .filter(_, let configuration),
      .bound(_, let configuration), .noTimesForFetches(let configuration, _),
      .noSizesForFetches(let configuration, _), .noPrompts(let configuration, _),
      .layout(_, let configuration):
      return lines.configurations[configuration]
    case .memory(let configuration, let capacity, _, _, _):
      return lines.capacities[capacity] ?? lines.configurations[configuration]
    case .noSizes: return lines.unit
    case .factsMissing, .nothingToRun, .noTimes, .noCosts: return nil
    }
  }
}
