import LarderEngine

/// A comparison of memory and disk use with the baseline's.
package struct ResourceComparison: Sendable, Hashable {
  package var changes: [ResourceChange]
  /// Figures that the earlier run has and the later lacks, in the order of the cells; their
  /// thresholds guard nothing.
  package var missing: [MissingResource] = []
  package var compared: Int
  /// True if instructions are among them.
  package var hasInstructions = false

  package var worse: [ResourceChange] { changes.filter(\.isWorse) }

  /// True if nothing was compared and nothing is missing.
  package var isEmpty: Bool { compared == 0 && missing.isEmpty }

  package init(changes: [ResourceChange] = [], compared: Int = 0) {
    self.changes = changes
    self.compared = compared
  }

  /// Compares the figures that both have, and lists those that only the earlier has for cells that
  /// both ran; empty if the systems differ. O(cells).
  ///
  /// - Parameter cells: The cells of the later run. Others are missing as a whole, which the
  ///   comparison of counts reports.
  package init(
    from before: MeasuredResources, to after: MeasuredResources, of cells: some Sequence<CellName>,
    thresholds: [CheckResource: Share] = [:]
  ) {
    self.init()
    guard before.system == after.system else { return }
    let new = Dictionary(
      after.cells.map { ($0.name, $0.values) }, uniquingKeysWith: { first, _ in first })
    let ran = Set(cells)
    for cell in before.cells where ran.contains(cell.name) {
      for resource in CheckResource.allCases {
        guard let was = cell.values[resource] else { continue }
        guard let now = new[cell.name]?[resource] else {
          missing.append(MissingResource(name: cell.name, resource: resource, before: was))
          continue
        }
        compared += 1
        if resource == .instructionsPerRequest { hasInstructions = true }
        let threshold = thresholds[resource] ?? resource.threshold
        let allowed = was * threshold.ratio
        guard (now - was).magnitude > allowed else { continue }
        changes.append(
          ResourceChange(
            name: cell.name, resource: resource, before: was, after: now, threshold: threshold))
      }
    }
  }
}

/// A figure of memory or disk that changed by more than its threshold.
package struct ResourceChange: Sendable, Hashable {
  package var name: CellName
  package var resource: CheckResource
  package var before: Double
  package var after: Double
  package var threshold: Share

  /// True if the figure grew: less is better for every figure.
  package var isWorse: Bool { after > before }
}

/// A figure of the baseline that the run of its cell lacks.
package struct MissingResource: Sendable, Hashable {
  package var name: CellName
  package var resource: CheckResource
  package var before: Double
}

/// Memory and disk use of executed cells. The figures are measured, but the median of several runs
/// hardly varies, so an increase of a few per cent is a change of the cache.
package struct MeasuredResources: Sendable, Hashable {
  /// The system of the measurement: another system or allocator has other figures.
  package var system: String
  /// The cells with figures, sorted.
  package var cells: [Entry]

  /// The figures of one cell.
  package struct Entry: Sendable, Hashable {
    package var name: CellName
    package var values: [CheckResource: Double]
  }

  package init(system: String, cells: [Entry]) {
    self.system = system
    self.cells = cells
  }

  /// Executions of a cell for its figures: three, so that a single disturbed run does not count.
  /// Memory of an earlier cell that another thread frees late lowers the figure of about one run in
  /// ten; one-time allocations of the process raise the first.
  package static var repetitions: Int { 3 }

  /// The measurements of runs with one thread: the median of several repetitions, the lower one for
  /// an even number. Nil if nothing was executed.
  package init?(_ records: [Record], amongTraces: Bool) {
    let cells = records.compactMap { record -> Entry? in
      let executions = (record.executions ?? []).filter { $0.threads == 1 }
      var values: [CheckResource: Double] = [:]
      for resource in CheckResource.allCases {
        let measured = executions.compactMap { resource.value(in: $0) }.sorted()
        guard !measured.isEmpty else { continue }
        values[resource] = measured[(measured.count - 1) / 2]
      }
      guard !values.isEmpty else { return nil }
      return Entry(name: CellName(record.cell, amongTraces: amongTraces), values: values)
    }
    guard !cells.isEmpty else { return nil }
    self.init(system: Self.thisSystem, cells: cells.sorted { "\($0.name)" < "\($1.name)" })
  }

  /// The figures with one more for each cell; cells without figures are added.
  package func adding(_ figures: [CellName: Double], as resource: CheckResource) -> Self {
    var entries = Dictionary(cells.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for (name, value) in figures {
      entries[name, default: Entry(name: name, values: [:])].values[resource] = value
    }
    return MeasuredResources(
      system: system, cells: entries.values.sorted { "\($0.name)" < "\($1.name)" })
  }

  /// True if any cell has this figure.
  package func has(_ resource: CheckResource) -> Bool {
    cells.contains { $0.values[resource] != nil }
  }

  /// The figures without one of them, except for cells for which `others` has it.
  package func removing(_ resource: CheckResource, but others: Self?) -> Self {
    let kept = Set(others?.cells.filter { $0.values[resource] != nil }.map(\.name) ?? [])
    var figures = self
    for index in figures.cells.indices where !kept.contains(figures.cells[index].name) {
      figures.cells[index].values[resource] = nil
    }
    return figures
  }

  /// This system, such as `Linux x86_64`.
  package static var thisSystem: String {
    #if os(Linux)
      let system = "Linux"
    #else
      let system = "macOS"
    #endif
    #if arch(x86_64)
      return "\(system) x86_64"
    #else
      return "\(system) arm64"
    #endif
  }
}

extension CheckResource {
  /// The least number of objects for which memory per object is compared. With fewer, the fixed
  /// cost of a cache, such as the pages of its database, dominates the figure and varies by chance.
  static let objectsMin: UInt64 = 1000

  /// The figure of one run; nil if it was not measured or is not meaningful.
  func value(in execution: Execution) -> Double? {
    switch self {
    case .memoryBytesPerObject:
      execution.residentObjects.map { $0 >= Self.objectsMin } ?? true
        ? execution.memoryBytesPerObject : nil
    case .diskBytes: execution.diskBytes.map { Double($0) }
    case .bytesWritten: execution.bytesWritten.map { Double($0) }
    case .files: execution.files.map { Double($0) }
    // Counted in separate processes.
    case .instructionsPerRequest: nil
    }
  }
}
