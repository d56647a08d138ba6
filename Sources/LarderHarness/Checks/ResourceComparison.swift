import LarderExperiments

/// Figures of memory and disk held against the baseline's.
package struct ResourceComparison: Sendable, Hashable {
  /// What changed by more than its threshold, in the order of the cells.
  package var changes: [ResourceChange]
  /// What the earlier run measured and the later did not, in the order of the cells: a threshold
  /// that guards nothing.
  package var missing: [MissingResource] = []
  /// How many figures were compared.
  package var compared: Int
  /// Whether there are instructions among them.
  package var hasInstructions = false

  /// What got worse.
  package var worse: [ResourceChange] { changes.filter(\.isWorse) }

  /// Whether nothing was compared and nothing is missing.
  package var isEmpty: Bool { compared == 0 && missing.isEmpty }

  /// A comparison; see the properties for the meaning of each part.
  package init(changes: [ResourceChange] = [], compared: Int = 0) {
    self.changes = changes
    self.compared = compared
  }

  /// Compares the figures that both have, and lists those that only the earlier has of cells that
  /// both ran; nothing where the systems differ. O(cells).
  ///
  /// - Parameter cells: The cells of the later run: others are missing as a whole, which the
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
        let allowed = was * Double(threshold.billionths) / 1e9
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
  /// The cell.
  package var name: CellName
  /// Which figure.
  package var resource: CheckResource
  /// What the baseline has.
  package var before: Double
  /// What it is.
  package var after: Double
  /// The change that is allowed, as a share of the baseline's figure.
  package var threshold: Share

  /// A change; see the properties for the meaning of each part.
  package init(
    name: CellName, resource: CheckResource, before: Double, after: Double, threshold: Share
  ) {
    self.name = name
    self.resource = resource
    self.before = before
    self.after = after
    self.threshold = threshold
  }

  /// Whether there is more of it: less is better of every figure.
  package var isWorse: Bool { after > before }
}

/// A figure that a baseline has of a cell and a run of this cell does not.
package struct MissingResource: Sendable, Hashable {
  /// The cell.
  package var name: CellName
  /// Which figure.
  package var resource: CheckResource
  /// What the baseline has.
  package var before: Double

  /// A missing figure; see the properties for the meaning of each part.
  package init(name: CellName, resource: CheckResource, before: Double) {
    self.name = name
    self.resource = resource
    self.before = before
  }
}

/// What executed cells took of memory and disk: figures that are measured, and of which the middle
/// of several runs hardly differs, so that a few per cent more are a change of the cache.
package struct MeasuredResources: Sendable, Hashable {
  /// Where they were measured: another system, or another allocator, has other figures.
  package var system: String
  /// The cells that have any, sorted.
  package var cells: [Entry]

  /// The figures of one cell.
  package struct Entry: Sendable, Hashable {
    /// The cell.
    package var name: CellName
    /// What was measured of it.
    package var values: [CheckResource: Double]

    /// An entry; see the properties for the meaning of each part.
    package init(name: CellName, values: [CheckResource: Double]) {
      self.name = name
      self.values = values
    }
  }

  /// Figures; see the properties for the meaning of each part.
  package init(system: String, cells: [Entry]) {
    self.system = system
    self.cells = cells
  }

  /// How often a check executes a cell for its figures: three times, so that one run that something
  /// has disturbed does not count. Memory that an earlier cell held and another thread frees late
  /// lowers the figure of one run in ten or so; what the process allocates once raises the first.
  package static var repetitions: Int { 3 }

  /// What runs in one thread measured: of several repetitions the one in the middle, of an even
  /// number the lower one. Nil where nothing was executed.
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

  /// The figures with one more of each cell; cells that had none come to have it.
  package func adding(_ figures: [CellName: Double], as resource: CheckResource) -> Self {
    var entries = Dictionary(cells.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for (name, value) in figures {
      entries[name, default: Entry(name: name, values: [:])].values[resource] = value
    }
    return MeasuredResources(
      system: system, cells: entries.values.sorted { "\($0.name)" < "\($1.name)" })
  }

  /// Whether any cell has this figure.
  package func has(_ resource: CheckResource) -> Bool {
    cells.contains { $0.values[resource] != nil }
  }

  /// The figures without one of them, except of the cells of which `others` has it.
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
    #elseif os(macOS)
      let system = "macOS"
    #else
      let system = "other"
    #endif
    #if arch(x86_64)
      return "\(system) x86_64"
    #elseif arch(arm64)
      return "\(system) arm64"
    #else
      return "\(system) other"
    #endif
  }
}

extension CheckResource {
  /// Objects from which memory for each is compared. With fewer, what a cache takes however many it
  /// holds, such as the pages of its database, is most of the figure, and differs by chance.
  static let objectsMin: UInt64 = 1000

  /// The figure of one run; nil where it was not measured, or says nothing.
  func value(in execution: Execution) -> Double? {
    switch self {
    case .memoryBytesPerObject:
      execution.residentObjects.map { $0 >= Self.objectsMin } ?? true
        ? execution.memoryBytesPerObject : nil
    case .diskBytes: execution.diskBytes.map { Double($0) }
    case .bytesWritten: execution.bytesWritten.map { Double($0) }
    case .files: execution.files.map { Double($0) }
    // Counted in processes of their own.
    case .instructionsPerRequest: nil
    }
  }
}
