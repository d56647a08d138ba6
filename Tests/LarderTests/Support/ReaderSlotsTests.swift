import Synchronization
import TestSupport
import Testing

@testable import Larder

@Suite(.endsInTime) struct ReaderSlotsTests {
  @Test func slotIsForOneThreadAtATime() {
    let slots = ReaderSlots(threads: 3)
    defer { slots.destroy() }
    #expect(slots.count == 4)
    let slot = slots.own
    func enter(_ index: Int) -> Bool { slot.enter(index) }
    #expect(enter(0))
    #expect(!enter(0))
    #expect(!enter(5))
    slot.countHit()
    slot.countMiss()
    slot.countMiss()
    slot.leave()
    #expect(enter(5))
    slot.leave()
    #expect(slots.totals == (1, 2))
    slots.resetTotals()
    #expect(slots.totals == (0, 0))
    #expect(slots.own == slot)
  }

  @Test func writersDoNotWaitForReadersOfAnotherShard() {
    nonisolated(unsafe) let slots = ReaderSlots(threads: 64)
    let entered = slots.own.enter(3)
    #expect(entered)
    let others = Deadline.isMet {
      slots.waitForReaders(of: 2)
      slots.waitForReaders(of: 4)
    }
    #expect(others, "waits for readers of shard 3")
    slots.own.leave()
    let own = Deadline.isMet { slots.waitForReaders(of: 3) }
    #expect(own, "waits for a reader that has left")
    // A waiting thread still reads them.
    if others, own { slots.destroy() }
  }

  /// After closing the view and waiting for its readers, a thread is alone: readers turn back.
  @Test func closingExcludesReaders() async {
    final class Shared: @unchecked Sendable {
      let slots = ReaderSlots(threads: 8)
      let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
      let isClosed = Atomic<UInt32>(0)
      var pair = UnsafeMutablePointer<(Int, Int)>.allocate(capacity: 1)
      let torn = Atomic<Int>(0)
      let read = Atomic<Int>(0)
    }
    let shared = Shared()
    CacheLock.create(at: shared.memory)
    shared.pair.initialize(to: (0, 0))
    await withTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          for step in 0..<4_000 {
            if (step + thread) % 5 > 0 {
              let slot = shared.slots.own
              guard slot.enter(0) else { continue }
              if shared.isClosed.load(ordering: .sequentiallyConsistent) == 0 {
                let (one, other) = shared.pair.pointee
                if one != other { shared.torn.wrappingAdd(1, ordering: .relaxed) }
                shared.read.wrappingAdd(1, ordering: .relaxed)
              }
              slot.leave()
            } else {
              let lock = CacheLock(at: shared.memory)
              lock.lock()
              shared.isClosed.store(1, ordering: .sequentiallyConsistent)
              shared.slots.waitForReaders(of: 0)
              let (one, other) = shared.pair.pointee
              shared.pair.pointee = (-1, -2)
              shared.pair.deallocate()
              shared.pair = .allocate(capacity: 1)
              shared.pair.initialize(to: (one + 1, other + 1))
              shared.isClosed.store(0, ordering: .sequentiallyConsistent)
              lock.unlock()
            }
          }
        }
      }
    }
    #expect(shared.torn.load(ordering: .relaxed) == 0)
    #expect(shared.read.load(ordering: .relaxed) > 0)
    #expect(shared.pair.pointee == (3_200, 3_200))
    shared.pair.deallocate()
    shared.memory.deallocate()
    shared.slots.destroy()
  }

  /// After taking the lock and waiting for the readers, a thread is alone.
  @Test func readersAndWritersExcludeEachOther() async {
    final class Shared: @unchecked Sendable {
      let slots = ReaderSlots(threads: 8)
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
            let slot = shared.slots.own
            if (step + thread) % 3 > 0, slot.enter(0) {
              if lock.isFree {
                if shared.one != shared.other { shared.torn.wrappingAdd(1, ordering: .relaxed) }
                shared.read.wrappingAdd(1, ordering: .relaxed)
              }
              slot.leave()
            } else {
              lock.lock()
              shared.slots.waitForReaders(of: 0)
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
    shared.slots.destroy()
  }
}
