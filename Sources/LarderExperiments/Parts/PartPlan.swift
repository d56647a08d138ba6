import LarderEngine
import LarderTraces

/// How a workload is run in parts: what each takes, and what is left to do.
package struct PartPlan: Sendable {
  /// One part.
  package struct Part: Sendable {
    /// Which part.
    package let number: PartNumber
    /// Its cells.
    package let cells: Int
    /// Those that are not in the store.
    package let missing: Int
    /// Estimated time of what is missing, reading the traces included.
    package let seconds: Double
    /// Estimated memory of what is missing.
    package let memoryBytes: UInt64
  }

  /// What the traces take that all parts read.
  package struct Preparation: Sendable {
    /// Traces.
    package let traces: Int
    /// Requests of all of them.
    package let requests: UInt64
    /// Estimated time.
    package let seconds: Double
    /// Estimated memory, for the largest.
    package let memoryBytes: UInt64
  }

  /// Name of the workload.
  package let workload: String
  /// The parts, in order; with `onlyMissing` those with cells that are not in the store.
  package let parts: [Part]
  /// How many parts there are in all.
  package let count: Int
  /// Cells that one part simulates at the same time.
  package let threads: Int
  /// The traces.
  package let preparation: Preparation
  /// Cells of the workload.
  package let cells: Int
  /// Cells that are not in the store.
  package let missing: Int
  /// Requests to simulate for these, repetitions included.
  package let requests: Double
  /// Estimated time of these on one core, hours.
  package let coreHours: Double

  /// A plan.
  ///
  /// - Parameters:
  ///   - isMissing: Whether a cell is not in the store.
  ///   - threads: Cells that one part simulates at the same time.
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
    let estimate = PartEstimate(division, traces: traces, threads: threads)
    let repetitions = Double(max(1, workload.repetitions))
    requests = absent.sorted().reduce(0) {
      $0 + Double(estimate.facts(of: division.cells[$1])?.requests ?? 0) * repetitions
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
  private let traces: StoredTraces
  private let threads: Int

  /// Estimates for parts that simulate so many cells at the same time.
  init(_ division: PartDivision, traces: StoredTraces, threads: Int) {
    self.division = division
    self.traces = traces
    self.threads = max(1, threads)
  }

  /// Nanoseconds for each request to read and prepare a trace: 15 to 80 million requests a second
  /// were measured.
  static let preparingNanoseconds = 60.0
  /// Nanoseconds for each request to read a prepared trace and check it.
  private static let mappingNanoseconds = 5.0
  /// Bytes for each object while a trace is prepared.
  private static let preparingBytesPerObject = 35.0
  /// Memory of the program itself.
  private static let programBytes = 128.0 * 1024 * 1024

  /// What is known of a cell's trace.
  func facts(of planned: PlannedCell) -> TraceFacts? { memory(of: planned)?.facts }

  private func memory(of planned: PlannedCell) -> TraceMemory? {
    traces.memories.first {
      $0.facts.name == planned.cell.trace
        && ($0.facts.seed == planned.cell.seed || $0.facts.seed == nil)
    }
  }

  /// The traces of some cells, each once.
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
      $0 + Double($1.facts.requests) * Self.mappingNanoseconds
    }
    return (simulating + reading) / 1e9
  }

  /// Bytes for some cells: their traces, and the state of as many cells as run at the same time.
  func memoryBytes(of cells: [Int]) -> UInt64 {
    let states = cells.map { index -> Double in
      let planned = division.cells[index]
      let objects = Double(facts(of: planned)?.objects ?? 0)
      return CellCost(planned.setup).bytesPerObject * objects
    }.sorted(by: >)
    let columns = memories(of: cells).reduce(0) { $0 + Self.columnBytes($1) }
    return Self.bytes(Self.programBytes + columns + states.prefix(threads).reduce(0, +))
  }

  /// What preparing takes.
  var preparation: PartPlan.Preparation {
    let requests = traces.facts.reduce(0.0) { $0 + Double($1.requests) }
    let memory = traces.memories.map { memory in
      Self.columnBytes(memory) + Self.preparingBytesPerObject * Double(memory.facts.objects)
    }.max()
    return PartPlan.Preparation(
      traces: traces.facts.count, requests: Self.bytes(requests),
      seconds: requests * Self.preparingNanoseconds / 1e9,
      memoryBytes: Self.bytes(Self.programBytes + (memory ?? 0)))
  }

  /// Bytes of the columns of a prepared trace, next uses included.
  private static func columnBytes(_ memory: TraceMemory) -> Double {
    let sizes = ["ids": 4.0, "times": 8, "operations": 1]
    let perRequest = memory.identity.columns.keys.reduce(4.0) { $0 + (sizes[$1] ?? 4) }
    return perRequest * Double(memory.facts.requests)
  }

  private static func bytes(_ value: Double) -> UInt64 { UInt64(min(1e18, max(0, value))) }
}

/// The cells of a workload divided into parts of about equal cost: the same parts on every machine,
/// whatever is in a store.
///
/// Cells are put in a row by trace, each with the nanoseconds that it is estimated to take, and the
/// row is cut into equal lengths: a cell belongs to the part in which its middle lies. So a part is
/// at most one cell longer than the mean, and most parts read one trace only. With more parts than
/// cells some parts are empty.
package struct PartDivision: Sendable {
  /// The cells, in plan order.
  package let cells: [PlannedCell]
  /// How many parts there are.
  package let count: Int
  /// The indices of the cells of each part, ascending.
  package let parts: [[Int]]
  /// The estimated nanoseconds of each cell.
  package let nanoseconds: [UInt64]

  /// Divides cells; `facts` are those of their traces. O(n log n).
  package init(_ cells: [PlannedCell], facts: [TraceFacts], repetitions: Int, count: Int) {
    let count = max(1, count)
    self.cells = cells
    self.count = count
    let places = cells.map { planned in
      facts.firstIndex { $0.name == planned.cell.trace && $0.seed == planned.cell.seed }
        ?? facts.firstIndex { $0.name == planned.cell.trace } ?? 0
    }
    nanoseconds = zip(cells, places).map { planned, place in
      let trace = facts.indices.contains(place) ? facts[place] : nil
      return CellCost(planned.setup).nanoseconds(
        requests: trace?.requests ?? 1, objects: trace?.objects ?? 1, repetitions: repetitions)
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

  /// The cells of a part, in plan order.
  package func cells(of part: PartNumber) -> [PlannedCell] {
    parts.indices.contains(part.number - 1) ? parts[part.number - 1].map { cells[$0] } : []
  }
}

/// What simulating a cell is estimated to cost.
struct CellCost {
  /// Nanoseconds for each request.
  let nanosecondsPerRequest: Double
  /// Bytes for each object of the trace.
  let bytesPerObject: Double

  /// The cost of a setup: of both tiers for a hybrid.
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

  /// What an admission filter adds to a request, about.
  private static let filterNanoseconds = 10.0

  /// With more objects than this, the state of a policy does not fit into the CPU's caches.
  private static let cachedObjects: UInt64 = 1_000_000
  /// How much longer a request takes then: 1.6 to 2.9 times for LRU and S3-FIFO.
  private static let uncachedFactor = 2.0

  /// Nanoseconds for a trace, at least 1, and never more than 30 years.
  func nanoseconds(requests: UInt64, objects: UInt64, repetitions: Int) -> UInt64 {
    let factor = objects > Self.cachedObjects ? Self.uncachedFactor : 1
    let all = nanosecondsPerRequest * factor * Double(requests) * Double(max(1, repetitions))
    return UInt64(min(1e18, max(1, all.rounded())))
  }
}
