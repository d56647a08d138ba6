import Foundation
import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments
@testable import LarderSupport

/// A folder for a store, removed with the value's last reference, and workloads to run with it.
final class StoreStand: Sendable {
  let folder: URL
  let rules = StoreRules("test-1")

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("larder-store-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var path: String { folder.appendingPathComponent("store").path }

  func store(
    rules: StoreRules? = nil, files: any FileLayer = SystemFiles()
  ) throws -> ResultStore {
    try ResultStore(path, makes: true, rules: rules ?? self.rules, files: files)
  }

  /// Files of cells below the store, sorted.
  func files(_ part: String = "cells") -> [String] {
    let walker = FileManager.default.enumerator(atPath: "\(path)/\(part)")
    let names = walker?.allObjects as? [String] ?? []
    return names.filter { $0.contains("/") || part == "traces" }.sorted()
      .map { "\(path)/\(part)/\($0)" }
  }

  static func workload(
    policies: String = "fifo,lru,random", capacities: String = "10,100", requests: Int = 3000,
    seeds: [UInt64] = [1], warmUp: WarmUp = .none, latency: LatencyModel? = nil
  ) throws -> Workload {
    let source = SourceSpec.generator(
      GeneratorSpec(
        component: try ComponentSpec(parsing: "zipf:objects=200:exponent=0.8"),
        requests: requests))
    return Workload(
      name: "stand", source: source,
      policies: try policies.split(separator: ",").map { try PolicySpec(parsing: $0) },
      capacities: try CapacitySpec.list(parsing: capacities), seeds: seeds, warmUp: warmUp,
      latency: latency)
  }

  /// The stored cells of a workload, and a sweep over the missing ones.
  struct Job {
    let cells: [PlannedCell]
    let records: StoredRecords
    var sweep: Sweep
  }

  static let machine = MachineDescription(
    processor: "p", cores: 2, memoryBytes: 1 << 30, system: "s", larderVersion: "1",
    swiftVersion: "6", build: "debug")

  func job(
    _ workload: Workload, _ store: ResultStore, part: PartNumber? = nil, mustKeep: Bool = true,
    machine: MachineDescription = StoreStand.machine
  ) throws -> Job {
    let traces = try WorkloadTraces.prepare(workload)
    let identities = { (cell: Cell) in traces.table[cell].map { TraceIdentity($0) } }
    let all = try Plan.cells(of: workload, facts: traces.facts)
    let known = Self.known(traces)
    let cells =
      part.map {
        PartDivision(all, traces: known, count: $0.count).cells(of: $0)
      } ?? all
    let records = StoredRecords(
      store, cells: cells, of: workload, identities: identities,
      machine: machine, threads: 2, mustKeep: mustKeep)
    var sweep = Sweep(
      cells: cells, traces: traces.table, warmUp: workload.warmUp,
      latency: workload.latency, threads: 2)
    sweep.store = records
    return Job(cells: cells, records: records, sweep: sweep)
  }

  func write(_ ids: [Int], to name: String) throws {
    try ids.map { "\($0)\n" }.joined().write(
      to: folder.appendingPathComponent(name), atomically: false, encoding: .utf8)
  }

  func workload(_ name: String, sample: Double? = nil) throws -> Workload {
    var trace = TraceReference(path: name, format: try ComponentSpec(parsing: "txt"))
    trace.sample = sample
    return Workload(
      name: "w", folder: folder.path, source: .trace(trace),
      policies: [try PolicySpec(parsing: "lru"), try PolicySpec(parsing: "arc")],
      capacities: try CapacitySpec.list(parsing: "10,20"))
  }

  static func known(_ traces: WorkloadTraces) -> StoredTraces {
    StoredTraces(
      memories: traces.facts.compactMap { facts in
        traces.table[facts.name, facts.seed].map {
          TraceMemory(stamp: "", facts: facts, notes: [], identity: TraceIdentity($0))
        }
      })
  }

  func stored(_ workload: Workload) throws -> Int {
    let job = try job(workload, store())
    return job.cells.count { job.records.record(of: $0) != nil }
  }
}
