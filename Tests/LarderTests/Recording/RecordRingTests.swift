import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

/// Rings lose no operation that fits, whatever the two sides do.
@Suite(.endsInTime)
struct RecordRingTests {
  private func drained(_ memory: RecordMemory) -> [RecordUnit] {
    var units: [RecordUnit] = []
    var drain = RecordDrain(memory.rings)
    drain.takeAll { units.append($0) }
    return units
  }

  @Test func recordedOperationsAreReadBack() {
    let memory = RecordMemory(count: 1)
    defer { withExtendedLifetime(memory) {} }
    let ring = memory.rings.ring(0)
    _ = ring.note(get: 20, isHit: true, now: 10)
    // The lowest two bits are not recorded.
    _ = ring.note(get: 27, isHit: false, now: 11)
    var unit = RecordUnit(.set, 25, time: 12)
    unit.size = 77
    unit.setLifetime(microseconds: 1_500_001)
    unit.cost = 3
    _ = ring.note(unit)
    unit.setLifetime(microseconds: 31_536_000_000_000)
    _ = ring.note(unit)
    unit.setLifetime(microseconds: .max)
    _ = ring.note(unit)
    _ = ring.note(RecordUnit(.remove, 20, time: 13))
    let units = drained(memory)
    #expect(units.map(\.hash) == [20, 24, 24, 24, 24, 20])
    #expect(units.map(\.time) == [10, 11, 12, 12, 12, 13])
    #expect(units.map(\.kind) == [.get, .get, .set, .set, .set, .remove])
    #expect(units.prefix(3).map(\.outcome) == [.hit, .miss, .unknown])
    #expect(units.map(\.size) == [nil, nil, 77, 77, 77, nil])
    let seconds: UInt64 = 1 << 31 - 1
    #expect(units.map(\.lifetime) == [0, 0, 1501, 31_536_000_000, seconds * 1000, 0])
    #expect(units[2].cost == 3 && units[0].cost == 1)
    #expect(drained(memory).isEmpty)
  }

  @Test func timesOfARingDoNotGoBack() {
    let memory = RecordMemory(count: 1)
    defer { withExtendedLifetime(memory) {} }
    let ring = memory.rings.ring(0)
    _ = ring.note(RecordUnit(.set, 1, time: 100))
    _ = ring.note(get: 1, isHit: true, now: 90)
    _ = ring.note(RecordUnit(.set, 1, time: 95))
    #expect(drained(memory).map(\.time) == [100, 100, 100])
  }

  @Test func ringsAreMergedByTimeAndGetsComeFirst() {
    let memory = RecordMemory(count: 3)
    defer { withExtendedLifetime(memory) {} }
    _ = memory.rings.ring(0).note(RecordUnit(.set, 4, time: 20))
    _ = memory.rings.ring(0).note(get: 8, isHit: true, now: 40)
    _ = memory.rings.ring(2).note(get: 12, isHit: true, now: 20)
    _ = memory.rings.ring(2).note(get: 16, isHit: true, now: 30)
    _ = memory.rings.ring(1).note(get: 20, isHit: true, now: 10)
    let units = drained(memory)
    #expect(units.map(\.hash) == [20, 12, 4, 16, 8])
    #expect(units.map(\.time) == [10, 20, 20, 30, 40])
  }

  @Test func aFullRingLosesTheNewestAndCounts() {
    let memory = RecordMemory(count: 1)
    defer { withExtendedLifetime(memory) {} }
    let ring = memory.rings.ring(0)
    let capacity = Int(ring.capacity)
    for number in 0..<capacity + 10 {
      _ = ring.note(get: UInt64(number) * 4, isHit: true, now: 0)
    }
    #expect(ring.lost.pointee.load(ordering: .relaxed) == 10)
    #expect(drained(memory).map(\.hash) == (0..<UInt64(capacity)).map { $0 * 4 })
    // There is room again, and an operation needs more words than are left before the ring's end.
    for number in 0..<capacity - 1 { _ = ring.note(get: UInt64(number) * 4, isHit: true, now: 0) }
    var unit = RecordUnit(.set, 36, time: 0)
    unit.size = 1
    _ = ring.note(unit)
    _ = ring.note(RecordUnit(.remove, 36, time: 0))
    _ = ring.note(get: 36, isHit: true, now: 1)
    #expect(ring.lost.pointee.load(ordering: .relaxed) == 13)
    _ = ring.note(get: 40, isHit: false, now: 0)
    let units = drained(memory)
    #expect(units.count == capacity && units.last?.hash == 40 && units.last?.time == 0)
    _ = ring.note(unit)
    #expect(drained(memory).map(\.size) == [1])
  }

  /// A time is recorded with the first get that has it, and still known when later gets are read.
  @Test func timesPersistBetweenReads() {
    let memory = RecordMemory(count: 2)
    defer { withExtendedLifetime(memory) {} }
    let ring = memory.rings.ring(0)
    _ = ring.note(get: 4, isHit: true, now: 7)
    #expect(drained(memory).map(\.time) == [7])
    _ = ring.note(get: 8, isHit: true, now: 7)
    _ = ring.note(RecordUnit(.set, 12, time: 9))
    #expect(drained(memory).map(\.time) == [7, 9])
    _ = ring.note(get: 16, isHit: true, now: 8)
    _ = ring.note(get: 20, isHit: true, now: 10)
    #expect(drained(memory).map(\.time) == [9, 10])
  }

  @Test func theWriterIsWokenOnceAQuarter() {
    let memory = RecordMemory(count: 1)
    defer { withExtendedLifetime(memory) {} }
    let ring = memory.rings.ring(0)
    let woken = (0..<ring.capacity).filter { _ in ring.note(get: 1, isHit: true, now: 0) }
    #expect(woken.count == 4)
  }

  @Test func manyRingsTakeLittleMemory() {
    for (count, limit) in [(16, 5 << 20), (1024, 10 << 20)] {
      let memory = RecordMemory(count: count)
      withExtendedLifetime(memory) { #expect(memory.rings.bytes < limit) }
    }
  }

  /// One thread produces, another consumes: all operations once and in order.
  @Test func twoThreads() {
    let memory = RecordMemory(count: 1)
    defer { withExtendedLifetime(memory) {} }
    let count: UInt64 = 300_000
    let noted = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [rings = UInt(bitPattern: memory.rings.base)] in
      guard let base = UnsafeMutableRawPointer(bitPattern: rings) else { return }
      let ring = RecordRings(at: base).ring(0)
      var next: UInt64 = 0
      while next < count {
        let lost = ring.lost.pointee.load(ordering: .relaxed)
        if next % 3 == 0 {
          var unit = RecordUnit(.set, next * 4, time: next)
          unit.size = next
          _ = ring.note(unit)
        } else {
          _ = ring.note(get: next * 4, isHit: true, now: next)
        }
        if ring.lost.pointee.load(ordering: .relaxed) == lost { next += 1 } else { sched_yield() }
      }
      noted.signal()
    }
    var next: UInt64 = 0
    var isRight = true
    while next < count {
      var drain = RecordDrain(memory.rings)
      drain.takeAll { unit in
        isRight = isRight && unit.hash == next * 4 && unit.time == next
        isRight = isRight && unit.size == (next % 3 == 0 ? next : nil)
        next += 1
      }
    }
    noted.wait()
    #expect(isRight)
  }
}
