import LarderEngine
import Testing

@testable import Larder

extension ExpiryWheel {
  /// Removes all ids that are due, a few in each call.
  fileprivate func removeDue(
    _ now: UInt64, expires: (ObjectID) -> UInt64?
  ) -> [ObjectID] {
    var all: [ObjectID] = []
    while let due = advance(to: now, most: 3, expires: expires) { all += due }
    return all
  }
}

/// The wheel against a list of all expiries.
@Suite struct ExpiryWheelTests {
  /// Sets, prolongs, removes and takes; every id is due at the first look after its expiry, never
  /// before, and the next time is never later than the next expiry's tick.
  @Test(arguments: [(1, 40), (1_000, 3_000), (1_024, 5_000_000), (1 << 20, 1 << 40), (3, 1 << 50)])
  func everyIDIsDueOnceAndInTime(granule: Int, span: Int) {
    let ids = 60
    var random = TestRandom(seed: UInt64(granule))
    var now = UInt64(random.below(1 << 40))
    let wheel = ExpiryWheel(room: 10, granule: UInt64(granule), now: now)
    wheel.reserve(room: ids)
    let tick = UInt64(1) << wheel.shift
    #expect(tick <= UInt64(granule) && tick * 2 > UInt64(granule))
    // Expiries known to the wheel, and the real ones.
    var known: [ObjectID: UInt64] = [:]
    var expiries: [ObjectID: UInt64] = [:]
    for _ in 0..<3_000 {
      let id = ObjectID(1 + random.below(ids))
      switch random.below(8) {
      case 0...3:
        let expires = now + 1 + UInt64(random.below(span))
        wheel.set(id, expires: expires, now: now)
        known[id] = expires
        expiries[id] = expires
      case 4:
        wheel.set(id, expires: .max, now: now)
        known[id] = nil
        expiries[id] = nil
      case 5:
        // Accessed or removed: the wheel is not notified.
        if let held = expiries[id] {
          expiries[id] = random.below(2) == 0 ? nil : held + UInt64(random.below(span))
        }
      default:
        now += UInt64(random.below(max(1, span / (1 << random.below(20)))))
        let due = wheel.removeDue(now) { expiries[$0] }
        #expect(Set(due).count == due.count)
        for id in due {
          #expect(expiries[id].map { $0 <= now } == true)
          known[id] = nil
          expiries[id] = nil
        }
        // Completed ticks have been processed.
        for (id, expires) in expiries where expires <= (now >> wheel.shift) << wheel.shift {
          #expect(Bool(false), "id \(id) expired at \(expires), and it is \(now)")
        }
      }
      for id in known.keys where expiries[id] == nil { known[id] = nil }
      if let first = expiries.values.min() {
        #expect(wheel.nextInstant <= ((first + tick - 1) >> wheel.shift) << wheel.shift)
      }
    }
  }

  /// Ids that are due together are found in several calls, each of which looks at a few.
  @Test func callLooksAtALimitedNumberOfIDs() {
    let ids = 1_000
    for expires in [UInt64(5_000), 5_000_000, 1 << 40] {
      let wheel = ExpiryWheel(room: ids, granule: 1_000, now: 0)
      for id in 1...ids { wheel.set(ObjectID(id), expires: expires, now: 0) }
      var (found, calls) = (Set<ObjectID>(), 0)
      while true {
        var looks = 0
        let due = wheel.advance(to: expires + 1_000, most: 16) { _ in
          looks += 1
          return expires
        }
        #expect(looks <= 16)
        guard let due else { break }
        calls += 1
        found.formUnion(due)
      }
      #expect(found.count == ids && calls >= ids / 16)
    }
  }

  /// The only entry was postponed by nearly a turn of its level, to the slot of `now`.
  @Test(.endsInTime) func postponedEntryIsLookedAtOnce() {
    let wheel = ExpiryWheel(room: 1, granule: 1, now: 0)
    wheel.set(1, expires: 64, now: 0)
    #expect(wheel.removeDue(100) { _ in 4_194 } == [])
    #expect(wheel.removeDue(4_194) { _ in 4_194 } == [1])
  }

  @Test func emptyWheelHasNoNextTime() {
    let wheel = ExpiryWheel(room: 4, granule: 1_000, now: 5_000_000)
    #expect(wheel.nextInstant == .max)
    wheel.set(1, expires: .max, now: 5_000_000)
    #expect(wheel.nextInstant == .max)
    wheel.set(1, expires: 6_000_000, now: 5_000_000)
    #expect(wheel.nextInstant > 5_000_000 && wheel.nextInstant < 6_000_512)
    wheel.set(1, expires: .max, now: 5_000_000)
    #expect(wheel.nextInstant == .max)
    #expect(wheel.removeDue(9_000_000) { _ in 0 } == [])
  }

  /// An expiry in the past, or at the end of time, does not trap.
  @Test func extremeTimesAreAccepted() {
    for granule in [UInt64(1), 1 << 40, .max] {
      let wheel = ExpiryWheel(room: 4, granule: granule, now: 1 << 50)
      wheel.set(1, expires: 0, now: 1 << 50)
      wheel.set(2, expires: 1, now: 1 << 50)
      wheel.set(3, expires: .max - 1, now: 1 << 50)
      let expiries: [ObjectID: UInt64] = [1: 0, 2: 1, 3: .max - 1]
      let due = wheel.removeDue(1 << 50 + 1 << 41) { expiries[$0] }
      if granule < .max { #expect(Set(due) == [1, 2]) }
    }
  }

  /// Time without entries takes no steps: a wheel that counted them would not end.
  @Test(.endsInTime) func longTimesTakeNoSteps() {
    let wheel = ExpiryWheel(room: 4, granule: 1, now: 0)
    for round in 1...1_000 {
      let expires = UInt64(round) << 40
      wheel.set(1, expires: expires, now: expires - 1 << 39)
      #expect(wheel.removeDue(expires - 1) { _ in expires } == [])
      #expect(wheel.removeDue(expires) { _ in expires } == [1])
    }
  }
}
