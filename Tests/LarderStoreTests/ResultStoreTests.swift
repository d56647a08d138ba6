import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import LarderExperiments
@testable import LarderSupport

/// A store returns exactly the stored results, or nothing.
@Suite(.endsInTime) struct ResultStoreTests {
  @Test func aSecondRunComputesNothing() throws {
    let stand = try StoreStand()
    let workload = try StoreStand.workload(seeds: [1, 2])
    let first = try stand.job(workload, stand.store()).sweep.run()
    #expect(try stand.stored(workload) == first.count)
    var job = try stand.job(workload, stand.store())
    #expect(job.sweep.totalRequests == 0)
    // Without traces nothing can be computed.
    job.sweep.traces = TraceTable()
    let second = try job.sweep.run()
    #expect(second.map(\.cell) == first.map(\.cell))
    #expect(second.map(\.counts) == first.map(\.counts))
    #expect(second.map(\.objectsDistinct) == first.map(\.objectsDistinct))
    #expect(second.allSatisfy { $0.timings.isEmpty }, "times of another run")
    #expect(first.allSatisfy { $0.timings.count == 1 })
  }

  @Test func onlyMissingCellsAreComputed() throws {
    let stand = try StoreStand()
    _ = try stand.job(StoreStand.workload(policies: "lru"), stand.store()).sweep.run()
    let records = try stand.job(StoreStand.workload(), stand.store()).sweep.run()
    for record in records {
      #expect(record.timings.isEmpty == (record.cell.policy == "lru"), "\(record.cell)")
    }
    let whole = try StoreStand().job(StoreStand.workload(), StoreStand().store()).sweep
    #expect(records.map(\.counts) == (try whole.run().map(\.counts)))
  }

  @Test func modelledTimesAreKept() throws {
    let stand = try StoreStand()
    var origin = AccessLatency()
    origin.base = .logNormal(median: 1000, sigma: 0.5)
    let workload = try StoreStand.workload(latency: LatencyModel(origin: origin))
    let first = try stand.job(workload, stand.store()).sweep.run()
    let second = try stand.job(workload, stand.store()).sweep.run()
    #expect(first.allSatisfy { $0.modelled != nil })
    #expect(second.map(\.modelled) == first.map(\.modelled))
    #expect(second.allSatisfy { $0.timings.isEmpty })
  }

  /// For any damage, the counts are correct, the damage is reported, and it is repaired.
  @Test(arguments: Damage.allCases)
  func damagedRecordsAreFoundAndComputedAgain(_ damage: Damage) throws {
    let stand = try StoreStand()
    let workload = try StoreStand.workload()
    let right = try stand.job(workload, stand.store()).sweep.run()
    let file = try #require(stand.files().first)
    try damage.apply(to: file)
    let job = try stand.job(workload, stand.store())
    let damaged = job.records.damaged(in: job.cells)
    #expect(damaged.map(\.file) == [file])
    #expect(damaged[0].fault.contains(damage.says), "\(damaged[0])")
    let inventory = StoreInventory(of: try stand.store(), verifies: true)
    #expect(inventory.damaged.map(\.file) == [file])
    let again = try job.sweep.run()
    #expect(again.map(\.counts) == right.map(\.counts))
    #expect(again.count { !$0.timings.isEmpty } == 1)
    #expect(try stand.stored(workload) == right.count)
    #expect(StoreInventory(of: try stand.store(), verifies: true).damaged.isEmpty)
  }

  @Test func damagedTimingsAreIgnored() throws {
    let stand = try StoreStand()
    let workload = try StoreStand.workload(policies: "lru", capacities: "10")
    let job = try stand.job(workload, stand.store())
    _ = try job.sweep.run()
    let file = try #require(stand.files("timings").first)
    try Damage.half.apply(to: file)
    let records = try stand.job(workload, stand.store()).records
    #expect(records.timedRecord(of: job.cells[0])?.timings == [])
  }

  /// Records in a folder that cannot be listed are missing, which is said.
  @Test func unreadableFoldersAreReported() throws {
    let stand = try StoreStand()
    let workload = try StoreStand.workload(policies: "lru", capacities: "10")
    _ = try stand.job(workload, stand.store()).sweep.run()
    let folder = URL(fileURLWithPath: try #require(stand.files().first)).deletingLastPathComponent()
    try FileManager.default.removeItem(at: folder)
    try Data().write(to: folder)
    let store = try stand.store()
    _ = try stand.job(workload, store)
    #expect(store.takeDamages().map(\.file) == [folder.path])
    let inventory = StoreInventory(of: store, verifies: false)
    #expect(inventory.damaged.map(\.file) == [folder.path])
    #expect(inventory.prune([.damaged], from: store).removed == 0)
  }

  /// Two records of one cell: the engine never produces them, but a faulty machine may.
  @Test func conflictingRecordsAreDetected() throws {
    let stand = try StoreStand()
    let workload = try StoreStand.workload(policies: "lru", capacities: "10")
    let job = try stand.job(workload, stand.store())
    var record = try #require(try job.sweep.run().first)
    record.counts.sets += 1
    try job.records.keep(record, of: job.cells[0])
    #expect(stand.files().count == 2, "neither is lost")
    let again = try stand.job(workload, stand.store())
    #expect(again.records.conflicts(in: again.cells).map(\.files) == [stand.files()])
    #expect(again.records.record(of: again.cells[0]) == nil)
    #expect(StoreInventory(of: try stand.store(), verifies: true).conflicts == [stand.files()])
    // A run continues despite the conflict.
    #expect(try again.sweep.run().first?.counts.sets == record.counts.sets - 1)
  }

  @Test func recordsUnderOtherRulesAreNotUsed() throws {
    let stand = try StoreStand()
    let workload = try StoreStand.workload(policies: "lru", capacities: "10")
    _ = try stand.job(workload, stand.store(rules: StoreRules("old-1"))).sweep.run()
    let job = try stand.job(workload, stand.store())
    #expect(job.records.record(of: job.cells[0]) == nil)
    #expect(job.records.foreignRules(of: job.cells[0]) == ["old-1"])
    _ = try job.sweep.run()
    let store = try stand.store()
    let inventory = StoreInventory(of: store, verifies: true)
    #expect(inventory[.cells].files == 1 && inventory[.foreign(rules: "old-1")].files == 2)
    #expect(inventory.prune([.foreign], from: store).removed == 2)
    #expect(try stand.stored(workload) == 1)
  }

  /// A disk fills up in the middle of a part: stored results stay, and the next run continues.
  @Test func fullDiskEndsAPartAndTheNextRunContinues() throws {
    let stand = try StoreStand()
    let workload = try StoreStand.workload()
    _ = try stand.store()
    let full = FailingFiles(writesLeft: 5)
    let job = try stand.job(workload, stand.store(files: full))
    #expect(throws: StoreError.self) { try job.sweep.run() }
    let kept = stand.files().count
    #expect(kept > 0 && kept < job.cells.count)
    #expect(StoreInventory(of: try stand.store(), verifies: true).damaged.isEmpty)
    let next = try stand.job(workload, stand.store())
    #expect(next.cells.count { next.records.record(of: $0) != nil } == kept)
    _ = try next.sweep.run()
    #expect(try stand.stored(workload) == job.cells.count)
  }

  /// A run whose results need not be stored succeeds.
  @Test func aFullDiskDoesNotSpoilARun() throws {
    let stand = try StoreStand()
    let workload = try StoreStand.workload()
    _ = try stand.store()
    let store = try stand.store(files: FailingFiles(writesLeft: 3))
    let job = try stand.job(workload, store, mustKeep: false)
    let records = try job.sweep.run()
    #expect(records.count == job.cells.count)
    #expect("\(try #require(job.records.keepingFault))".contains("No space left"))
  }

  /// As `rename(2)` warns of NFS: "you can not assume that if the operation failed, the file was
  /// not renamed".
  @Test func completedRenamesReportedAsFailedAreAccepted() throws {
    let stand = try StoreStand()
    let workload = try StoreStand.workload()
    _ = try stand.store()
    let job = try stand.job(workload, stand.store(files: FailingFiles(renamesDenied: 1)))
    #expect(try job.sweep.run().count == job.cells.count)
    #expect(stand.files().count == job.cells.count)
    #expect(StoreInventory(of: try stand.store(), verifies: true).damaged.isEmpty)
  }

  /// Two nodes that finish the cells at once write identical files.
  @Test func concurrentWritersOfCellsAgree() throws {
    let stand = try StoreStand()
    let workload = try StoreStand.workload(policies: "lru,fifo")
    let expected = try StoreStand().job(workload, StoreStand().store()).sweep.run()
    let failures = Locked<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      do {
        let records = try stand.job(workload, try stand.store()).sweep.run()
        if records.map(\.counts) != expected.map(\.counts) {
          failures.withLock { $0.append("counts differ") }
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(stand.files().count == expected.count)
    let inventory = StoreInventory(of: try stand.store(), verifies: true)
    #expect(inventory.damaged.isEmpty && inventory.conflicts.isEmpty)
    #expect(inventory[.unfinished].files == 0)
  }

  @Test func timingsKeepTheirMachine() throws {
    let stand = try StoreStand()
    let workload = try StoreStand.workload(policies: "lru", capacities: "10")
    var other = StoreStand.machine
    other.processor = "q"
    let first = try stand.job(workload, stand.store())
    let second = try stand.job(workload, stand.store(), machine: other)
    _ = try first.sweep.run()
    _ = try second.sweep.run()
    let job = try stand.job(workload, stand.store())
    let timings = try #require(job.records.timedRecord(of: job.cells[0])).timings
    let machines = [StoreStand.machine.summary, other.summary]
    #expect(timings.compactMap(\.machine).sorted() == machines.sorted())
    #expect(job.records.sweepThreads(of: job.cells) == 2)
  }

  @Test func executedCellsAreNotTakenFromTheStore() throws {
    let stand = try StoreStand()
    let workload = try StoreStand.workload(policies: "lru", capacities: "10")
    _ = try stand.job(workload, stand.store()).sweep.run()
    var job = try stand.job(workload, stand.store())
    #expect(job.sweep.totalRequests == 0)
    job.sweep.cells[0].isExecuted = true
    #expect(job.sweep.totalRequests == 2 * 3000)
  }

  @Test func otherFoldersAreNotTouched() throws {
    let stand = try StoreStand()
    try "mine".write(
      to: stand.folder.appendingPathComponent("notes.txt"), atomically: true, encoding: .utf8)
    #expect(throws: StoreError.notAStore(stand.folder.path)) {
      try ResultStore(stand.folder.path, makes: true, rules: stand.rules)
    }
    #expect(throws: StoreError.absent(stand.path)) {
      try ResultStore(stand.path, makes: false, rules: stand.rules)
    }
    _ = try stand.store()
    try "larder store 9\n".write(
      toFile: "\(stand.path)/larder-store", atomically: true, encoding: .utf8)
    #expect(throws: StoreError.version(stand.path, found: "9")) { try stand.store() }
  }
}
