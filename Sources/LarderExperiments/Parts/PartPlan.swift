import LarderEngine
import LarderTraces

/// Plan of a workload's parts: the cells of each, and the remaining work.
package struct PartPlan: Sendable {
  package struct Part: Sendable {
    package let number: PartNumber
    /// Number of cells.
    package let cells: Int
    /// Number of cells that are not in the store.
    package let missing: Int
    /// Estimated time of the missing cells, including reading the traces.
    package let seconds: Double
    /// Estimated memory of the missing cells.
    package let memoryBytes: UInt64
  }

  /// Cost of preparing the traces that all parts read.
  package struct Preparation: Sendable {
    /// Number of traces.
    package let traces: Int
    /// Total number of the requests read.
    package let requests: UInt64
    /// Estimated time.
    package let seconds: Double
    /// Estimated memory, for the largest.
    package let memoryBytes: UInt64
  }

  package let workload: String
  /// Parts in order; with `onlyMissing`, only those with cells that are not in the store.
  package let parts: [Part]
  /// Number of all parts.
  package let count: Int
  /// Number of cells that a part simulates concurrently.
  package let threads: Int
  package let preparation: Preparation
  /// Number of cells of the workload.
  package let cells: Int
  /// Number of cells that are not in the store.
  package let missing: Int
  /// Requests to simulate for the missing cells, including repetitions.
  package let requests: Double
  /// Estimated time of the missing cells on one core, in hours.
  package let coreHours: Double

  /// Creates a plan.
  ///
  /// - Parameters:
  ///   - isMissing: True for a cell that is not in the store.
  ///   - threads: Number of cells that one part simulates concurrently.
  package init(
    _ division: PartDivision, of workload: Workload, traces: StoredTraces, threads: Int,
    onlyMissing: Bool, isMissing: (PlannedCell) -> Bool
  ) {
    self.workload = workload.name
    self.threads = threads
    count = division.count
    cells = division.cells.count
    let absent = Set(division.cells.indices.filter { isMissing(division.cells[$0]) })
    missing = absent.count
    let estimate = PartEstimate(division, of: workload, traces: traces, threads: threads)
    let repetitions = Double(max(1, workload.repetitions))
    requests = absent.sorted().reduce(0) {
      $0 + Double(estimate.memory(of: division.cells[$1])?.identity.requests.value ?? 0)
        * repetitions
    }
    coreHours = absent.sorted().reduce(0) { $0 + Double(division.nanoseconds[$1]) } / 3.6e12
    preparation = estimate.preparation
    let all = division.parts.enumerated().compactMap { index, indices -> Part? in
      guard let number = PartNumber(index + 1, of: division.count) else { return nil }
      let left = indices.filter(absent.contains)
      return Part(
        number: number, cells: indices.count, missing: left.count,
        seconds: estimate.seconds(of: left), memoryBytes: estimate.memoryBytes(of: left))
    }
    parts = onlyMissing ? all.filter { $0.missing > 0 } : all
  }
}

/// Estimates of time and memory, from the table of measured costs.
struct PartEstimate {
  private let division: PartDivision
  private let workload: Workload
  private let traces: StoredTraces
  private let threads: Int

  /// Estimates for parts that simulate `threads` cells concurrently.
  init(_ division: PartDivision, of workload: Workload, traces: StoredTraces, threads: Int) {
    self.division = division
    self.workload = workload
    self.traces = traces
    self.threads = max(1, threads)
  }

  /// Nanoseconds per request for reading and preparing a trace: 15 to 80 million requests a second
  /// were measured.
  static let preparingNanoseconds = 60.0
  /// Nanoseconds per request for reading and validating a prepared trace.
  private static let mappingNanoseconds = 5.0
  /// Bytes per object while a trace is prepared.
  private static let preparingBytesPerObject = 35.0
  /// Memory of the program itself.
  private static let programBytes = 128.0 * 1024 * 1024

  /// Facts of a cell's trace.
  func memory(of planned: PlannedCell) -> TraceMemory? {
    traces.place(of: planned.cell).map { traces.memories[$0] }
  }

  /// Distinct traces of some cells.
  private func memories(of cells: [Int]) -> [TraceMemory] {
    var seen: Set<TraceFacts> = []
    return cells.compactMap { memory(of: division.cells[$0]) }
      .filter { seen.insert($0.facts).inserted }
  }

  /// Seconds for some cells: reading their traces, then simulating on all threads.
  func seconds(of cells: [Int]) -> Double {
    let times = cells.map { Double(division.nanoseconds[$0]) }
    let simulating = max(times.max() ?? 0, times.reduce(0, +) / Double(threads))
    let reading = memories(of: cells).reduce(0) {
      $0 + Double($1.identity.requests.value) * Self.mappingNanoseconds
    }
    return (simulating + reading) / 1e9
  }

  /// Bytes for some cells: their traces, and the state of concurrent cells.
  func memoryBytes(of cells: [Int]) -> UInt64 {
    let states = cells.map { index -> Double in
      let planned = division.cells[index]
      let objects = Double(memory(of: planned)?.identity.objects.value ?? 0)
      return CellCost(planned.setup).bytesPerObject * objects
    }.sorted(by: >)
    let columns = memories(of: cells).reduce(0) { $0 + Self.columnBytes($1) }
    return Self.bytes(Self.programBytes + columns + states.prefix(threads).reduce(0, +))
  }

  /// Cost of preparation.
  var preparation: PartPlan.Preparation {
    let requests = zip(traces.keys, traces.memories).reduce(0.0) {
      $0 + Double(requestsRead($1.0, $1.1))
    }
    let memory = traces.memories.map { memory in
      Self.columnBytes(memory)
        + Self.preparingBytesPerObject * Double(memory.identity.objects.value)
    }.max()
    return PartPlan.Preparation(
      traces: traces.facts.count, requests: Self.bytes(requests),
      seconds: requests * Self.preparingNanoseconds / 1e9,
      memoryBytes: Self.bytes(Self.programBytes + (memory ?? 0)))
  }

  /// Requests that preparing a trace reads: all the traffic, if the workload takes the sample.
  private func requestsRead(_ key: TraceKey, _ memory: TraceMemory) -> UInt64 {
    guard case .trace(let reference) = workload.sources[key.source], reference.sample != nil else {
      return memory.identity.requests.value
    }
    return memory.facts.requests
  }

  /// Bytes of the columns of a prepared trace, including next uses.
  private static func columnBytes(_ memory: TraceMemory) -> Double {
    let sizes = ["ids": 4.0, "times": 8, "operations": 1]
    let perRequest = memory.identity.columns.keys.reduce(4.0) { $0 + (sizes[$1] ?? 4) }
    return perRequest * Double(memory.identity.requests.value)
  }

  private static func bytes(_ value: Double) -> UInt64 { UInt64(min(1e18, max(0, value))) }
}

/// A division of a workload's cells into parts of about equal cost, identical on every machine and
/// independent of a store.
///
/// Cells are ordered by trace, each with its estimated nanoseconds, and the sequence is cut into
/// equal lengths: a cell belongs to the part in which its middle lies. A part exceeds the mean by
/// at most one cell, and most parts read only one trace. With more parts than cells some parts are
/// empty.
package struct PartDivision: Sendable {
  /// Cells in plan order.
  package let cells: [PlannedCell]
  /// Number of parts.
  package let count: Int
  /// Indices of the cells of each part, ascending.
  package let parts: [[Int]]
  /// Estimated nanoseconds of each cell.
  package let nanoseconds: [UInt64]

  /// Divides cells over their traces. O(n log n).
  package init(_ cells: [PlannedCell], traces: StoredTraces, repetitions: Int, count: Int) {
    let count = max(1, count)
    self.cells = cells
    self.count = count
    let places = cells.map { traces.place(of: $0.cell) ?? 0 }
    nanoseconds = zip(cells, places).map { planned, place in
      let known = traces.memories.indices.contains(place) ? traces.memories[place].identity : nil
      return CellCost(planned.setup).nanoseconds(
        requests: known?.requests ?? SampleCount(1), objects: known?.objects ?? SampleCount(1),
        repetitions: repetitions)
    }
    let row = cells.indices.sorted { (places[$0], $0) < (places[$1], $1) }
    let total = nanoseconds.reduce(0) { $0 + Double($1) }
    var parts = [[Int]](repeating: [], count: count)
    var before = 0.0
    for index in row {
      let middle = before + Double(nanoseconds[index]) / 2
      let part = Int(middle / total * Double(count))
      parts[min(max(0, part), count - 1)].append(index)
      before += Double(nanoseconds[index])
    }
    self.parts = parts.map { $0.sorted() }
  }

  /// Cells of a part, in plan order.
  package func cells(of part: PartNumber) -> [PlannedCell] {
    parts.indices.contains(part.number - 1) ? parts[part.number - 1].map { cells[$0] } : []
  }
}

/// Estimated cost of simulating a cell.
struct CellCost {
  let nanosecondsPerRequest: Double
  /// Bytes per object of the trace.
  let bytesPerObject: Double

  /// Cost of a setup: of both tiers for a hybrid.
  init(_ setup: SimulationSetup) {
    let tiers =
      switch setup.arrangement {
      case .memory(let tier), .disk(let tier): [tier]
      case .hybrid(let memory, let disk, _): [memory, disk]
      }
    let costs = tiers.map { PolicyCost.of($0.policy.name) }
    let filters = tiers.count { $0.admission != nil }
    nanosecondsPerRequest =
      costs.reduce(0) { $0 + $1.nanoseconds } + Double(filters) * Self.filterNanoseconds
    bytesPerObject = costs.reduce(0) { $0 + $1.bytesPerObject }
  }

  /// Approximate cost of an admission filter per request.
  private static let filterNanoseconds = 10.0

  /// Number of objects above which the state of a policy exceeds the CPU's caches.
  private static let cachedObjects: UInt64 = 1_000_000
  /// Slowdown of a request above that number: 1.6 to 2.9 times for LRU and S3-FIFO.
  private static let uncachedFactor = 2.0

  /// Nanoseconds for a trace, at least 1 and at most 30 years.
  func nanoseconds(requests: SampleCount, objects: SampleCount, repetitions: Int) -> UInt64 {
    let factor = objects.value > Self.cachedObjects ? Self.uncachedFactor : 1
    let all = nanosecondsPerRequest * factor * Double(requests.value) * Double(max(1, repetitions))
    return UInt64(min(1e18, max(1, all.rounded())))
  }
}
