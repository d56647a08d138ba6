import Foundation
import LarderEngine
import LarderPolicies
import LarderTraces
import TestSupport
import Testing

@testable import LarderExperiments

/// Facts about a trace are used only as long as the trace is unchanged.
@Suite(.endsInTime) struct TraceMemoryTests {
  private static func workload(_ stand: StoreStand, _ ids: [Int]) throws -> Workload {
    try write(stand, ids)
    return Workload(
      name: "w", folder: stand.folder.path,
      source: .trace(TraceReference(path: "t.txt", format: try ComponentSpec(parsing: "txt"))),
      policies: [try PolicySpec(parsing: "lru")], capacities: try CapacitySpec.list(parsing: "2"))
  }

  private static func write(_ stand: StoreStand, _ ids: [Int]) throws {
    let text = ids.map { "\($0)\n" }.joined()
    try text.write(
      to: stand.folder.appendingPathComponent("t.txt"), atomically: false, encoding: .utf8)
  }

  /// A time long after the last change of files written now.
  private static var later: Int64 { FileStamp.now() + 60_000_000_000 }

  private static func remember(
    _ workload: Workload, _ store: ResultStore
  ) throws -> StoredTraces {
    let stamps = try TraceStamps(of: workload, now: later)
    let traces = try WorkloadTraces.prepare(workload)
    return try store.remember(traces, of: workload, before: stamps, now: later)
  }

  @Test func knownTracesAreFound() throws {
    let stand = try StoreStand()
    let workload = try Self.workload(stand, [1, 2, 3, 1])
    let store = try stand.store()
    let stamps = try TraceStamps(of: workload, now: Self.later)
    #expect(store.traces(stamps, of: workload) == nil)
    let known = try Self.remember(workload, store)
    #expect(store.traces(stamps, of: workload) == known)
    #expect(known.facts.map(\.requests) == [4] && known.facts.map(\.objects) == [3])
    #expect(known.facts.map(\.name) == ["t.txt"])
    #expect(known.agrees(with: try WorkloadTraces.prepare(workload)))
  }

  @Test(arguments: [nil, 0.1, 0.5])
  func sampledTraceIsFound(sample: Double?) throws {
    let stand = try StoreStand()
    try stand.write((0..<4000).map { $0 * 7919 % 1000 }, to: "all.txt")
    let workload = try stand.workload("all.txt", sample: sample)
    let store = try stand.store()
    let stamps = try TraceStamps(of: workload, now: Self.later)
    let known = try Self.remember(workload, store)
    #expect(known.facts[0].samplingRate == sample)
    #expect(store.traces(stamps, of: workload) == known)
    #expect(store.takeDamages().isEmpty)
    #expect(StoreInventory(of: store, verifies: true).damaged.isEmpty)
    #expect(known.agrees(with: try WorkloadTraces.prepare(workload)))
  }

  @Test func generatorsAreKnownBySeed() throws {
    let stand = try StoreStand()
    let workload = try StoreStand.workload(seeds: [1, 2])
    let store = try stand.store()
    let known = try Self.remember(workload, store)
    #expect(Set(known.memories.map(\.identity)).count == 2)
    let other = try StoreStand.workload(seeds: [1, 3])
    let stamps = try TraceStamps(of: other)
    #expect(store.traces(stamps, of: other) == nil, "seed 3 is not known")
    let first = try StoreStand.workload(seeds: [1])
    #expect(store.traces(try TraceStamps(of: first), of: first)?.memories == [known.memories[0]])
    let longer = try StoreStand.workload(requests: 3001)
    #expect(store.traces(try TraceStamps(of: longer), of: longer) == nil)
  }

  @Test func changedTraceIsReadAgain() throws {
    let stand = try StoreStand()
    let workload = try Self.workload(stand, [1, 2, 3, 1])
    let store = try stand.store()
    let known = try Self.remember(workload, store)
    // Longer than a tick of the file system's clock.
    usleep(20_000)
    try Self.write(stand, [1, 2, 3, 2])
    let stamps = try TraceStamps(of: workload, now: Self.later)
    #expect(store.traces(stamps, of: workload) == nil)
    #expect(!known.agrees(with: try WorkloadTraces.prepare(workload)))
    #expect(try Self.remember(workload, store).memories[0].identity != known.memories[0].identity)
  }

  /// Setting back the time of the content does not help, because the time of the change cannot be
  /// set.
  @Test func resetModificationTimeIsDetected() throws {
    let stand = try StoreStand()
    let workload = try Self.workload(stand, [1, 2, 3, 1])
    let path = stand.folder.appendingPathComponent("t.txt").path
    let before = try #require(FileStamp(path, now: Self.later))
    usleep(20_000)
    try Self.write(stand, [1, 2, 3, 2])
    var times = [timeval(), timeval()]
    times[1].tv_sec = Int(before.modified / 1_000_000_000)
    times[1].tv_usec = numericCast(before.modified % 1_000_000_000 / 1000)
    #expect(utimes(path, times) == 0)
    let after = try #require(FileStamp(path, now: Self.later))
    #expect(after.bytes == before.bytes && after != before)
    _ = workload
  }

  /// A file that changed a moment ago may change again within the tick.
  @Test func recentlyChangedFilesAreNotRemembered() throws {
    let stand = try StoreStand()
    let workload = try Self.workload(stand, [1, 2, 3, 1])
    let store = try stand.store()
    let stamps = try TraceStamps(of: workload)
    #expect(stamps.all.isEmpty)
    let known = try store.remember(
      try WorkloadTraces.prepare(workload), of: workload, before: stamps)
    #expect(known.facts.map(\.requests) == [4], "it is known to this run")
    #expect(stand.files("traces").isEmpty)
    // Changes in the future, by a clock that is ahead, are not remembered either.
    let path = stand.folder.appendingPathComponent("t.txt").path
    #expect(FileStamp(path, now: FileStamp.now() - 3_600_000_000_000) == nil)
  }

  @Test func traceChangedDuringReadingIsNotRemembered() throws {
    let stand = try StoreStand()
    let workload = try Self.workload(stand, [1, 2, 3, 1])
    let store = try stand.store()
    let stamps = try TraceStamps(of: workload, now: Self.later)
    let traces = try WorkloadTraces.prepare(workload)
    usleep(20_000)
    try Self.write(stand, [1, 2, 3, 2])
    _ = try store.remember(traces, of: workload, before: stamps, now: Self.later)
    #expect(stand.files("traces").isEmpty)
  }

  @Test func damagedFactsAreIgnored() throws {
    let stand = try StoreStand()
    let workload = try StoreStand.workload()
    let store = try stand.store()
    _ = try Self.remember(workload, store)
    let file = try #require(stand.files("traces").first)
    for damage in [Damage.empty, .half, .oneBit, .otherProgram] {
      try damage.apply(to: file)
      #expect(store.traces(try TraceStamps(of: workload), of: workload) == nil, "\(damage)")
      #expect(store.takeDamages().map(\.file) == [file], "said, not only ignored")
      #expect(StoreInventory(of: store, verifies: true).damaged.map(\.file) == [file])
      _ = try Self.remember(workload, store)
      #expect(store.traces(try TraceStamps(of: workload), of: workload) != nil)
    }
  }

  @Test func preparedTracesAreFoundAndDamagedOnesAreNot() throws {
    let stand = try StoreStand()
    let workload = try StoreStand.workload()
    let store = try stand.store()
    let traces = try WorkloadTraces.prepare(workload)
    let known = try Self.remember(workload, store)
    #expect(try store.shelf(of: known).trace(TraceKey(seed: 1)) == nil)
    try store.shelve(traces, as: known)
    let found = try #require(try store.shelf(of: known).trace(TraceKey(seed: 1)))
    #expect(TraceIdentity(found) == known.memories[0].identity)
    #expect(found.name == known.facts[0].name)
    #expect(try store.shelf(of: known).trace(TraceKey(seed: 2)) == nil)
    let name = try #require(
      FileManager.default.contentsOfDirectory(atPath: "\(stand.path)/prepared").first)
    let file = "\(stand.path)/prepared/\(name)"
    var data = try Data(contentsOf: URL(fileURLWithPath: file))
    data[data.count - 3] ^= 4
    try data.write(to: URL(fileURLWithPath: file))
    #expect(try store.shelf(of: known).trace(TraceKey(seed: 1)) == nil)
    #expect(StoreInventory(of: store, verifies: true).damaged.map(\.file) == [file])
    try store.shelve(traces, as: known)
    #expect(try store.shelf(of: known).trace(TraceKey(seed: 1)) != nil)
  }
}
