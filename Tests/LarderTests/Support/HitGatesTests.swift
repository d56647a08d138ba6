import Synchronization
import TestSupport
import Testing

@testable import Larder

@Suite(.endsInTime) struct HitGatesTests {
  @Test func aGateIsForOneAtATime() {
    let gates = HitGates(threads: 3)
    defer { gates.destroy() }
    #expect(gates.count == 4)
    let gate = gates.own
    func enter(_ index: Int) -> Bool { gate.enter(index) }
    #expect(enter(0))
    #expect(!enter(0))
    #expect(!enter(5))
    gate.countHit()
    gate.countMiss()
    gate.countMiss()
    gate.leave()
    #expect(enter(5))
    gate.leave()
    #expect(gates.totals == (1, 2))
    gates.resetTotals()
    #expect(gates.totals == (0, 0))
    #expect(gates.own == gate)
  }

  @Test func nobodyWaitsForReadersOfAnotherShard() {
    nonisolated(unsafe) let gates = HitGates(threads: 64)
    let entered = gates.own.enter(3)
    #expect(entered)
    let others = Deadline.isMet {
      gates.waitForReaders(of: 2)
      gates.waitForReaders(of: 4)
    }
    #expect(others, "waits for readers of shard 3")
    gates.own.leave()
    let own = Deadline.isMet { gates.waitForReaders(of: 3) }
    #expect(own, "waits for a reader that has left")
    // A thread that still waits reads them.
    if others, own { gates.destroy() }
  }

  /// Who holds the lock and has waited for the readers is alone.
  @Test func readersAndWritersExcludeEachOther() async {
    final class Shared: @unchecked Sendable {
      let gates = HitGates(threads: 8)
      let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
      var (one, other) = (0, 0)
      let torn = Atomic<Int>(0)
      let read = Atomic<Int>(0)
    }
    let shared = Shared()
    CacheLock.create(at: shared.memory)
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          let lock = CacheLock(at: shared.memory)
          for step in 0..<4_000 {
            let gate = shared.gates.own
            if (step + thread) % 3 > 0, gate.enter(0) {
              if lock.isFree {
                if shared.one != shared.other { shared.torn.wrappingAdd(1, ordering: .relaxed) }
                shared.read.wrappingAdd(1, ordering: .relaxed)
              }
              gate.leave()
            } else {
              lock.lock()
              shared.gates.waitForReaders(of: 0)
              shared.one += 1
              shared.other += 1
              lock.unlock()
            }
          }
        }
      }
    }
    #expect(shared.torn.load(ordering: .relaxed) == 0)
    #expect(shared.read.load(ordering: .relaxed) > 0)
    #expect(shared.one == shared.other && shared.one > 5_000)
    shared.memory.deallocate()
    shared.gates.destroy()
  }
}
