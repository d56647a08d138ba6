import Testing

@testable import LarderEngine

@Suite struct GhostPlacesTests {
  /// Ghosts keep their order while the ring grows, turns and closes holes, in steps that begin and
  /// stop anywhere; no step looks at more than 64 slots.
  @Test(arguments: [100, 1_000, 20_000], [false, true])
  func ghostsKeepTheirOrder(limit: Int, isLimited: Bool) {
    for seed: UInt64 in 1...3 { check(seed, limit, isLimited) }
  }

  private func check(_ seed: UInt64, _ limit: Int, _ isLimited: Bool) {
    var ring = Ring(limit: isLimited ? limit : nil)
    var random = TestRandom(seed: seed)
    for round in 0..<8 {
      let holes = round % 3 * 25
      let most = isLimited && round % 4 != 3 ? limit : limit >> random.below(4)
      for _ in 0..<limit * 3 {
        while ring.count >= most { ring.pop() }
        ring.push()
        if random.below(100) < holes { ring.remove(random.below(1 << 30)) }
      }
    }
    while ring.count > 0 { ring.pop() }
    let (turns, tidied, work, faults) = (ring.turns, ring.tidied, ring.work, ring.faults)
    #expect(faults == 0 && turns > 3 && (tidied > 3 || limit < 20_000))
    #if DEBUG
      #expect(work <= 1, "\(work) slots are looked at, or some in each step")
    #endif
  }

  /// A queue of numbers, each in the slot that `places` has chosen for it.
  private struct Ring: ~Copyable {
    let limit: Int?
    private var places = GhostPlaces(places: 0)
    private var held: [UInt32: Int] = [:]
    private var place: [Int: UInt32] = [:]
    private var (first, next) = (0, 0)
    private(set) var (turns, tidied, work, faults) = (0, 0, 0, 0)

    init(limit: Int?) { self.limit = limit }

    var count: Int { place.count }

    mutating func pop() {
      let slot = places.popOldest()
      while place[first] == nil { first += 1 }
      faults += held[slot] == first ? 0 : 1
      held[slot] = nil
      place[first] = nil
    }

    mutating func remove(_ number: Int) {
      let number = first + number % (next - first)
      guard let slot = place.removeValue(forKey: number) else { return }
      held[slot] = nil
      places.remove(at: slot)
    }

    mutating func push() {
      let before = places.newest
      while places.isFull(limit: limit.map { UInt64($0) } ?? .max) {
        let most = limit.map { UInt32($0 + $0 / 4 + 16) / 4 * 4 } ?? .max
        let slots = places.places
        let hasHoles = limit == nil && slots > 0 && places.count <= slots - (slots + 7) / 8
        repack(hasHoles ? slots : min(max(64, slots * 2), most))
      }
      let slot = places.push()
      turns += slot < before ? 1 : 0
      faults += held[slot] == nil ? 0 : 1
      (held[slot], place[next]) = (next, slot)
      next += 1
      if places.isCrowded { repack(nil) }
    }

    private mutating func repack(_ wanted: UInt32?) {
      #if DEBUG
        let before = DebugWork.amount
        defer { work = max(work, DebugWork.amount - before) }
      #endif
      var moves: [(old: UInt32, new: UInt32)] = []
      if let wanted {
        places.repack(places: wanted) { moves.append(($0, $1)) }
      } else {
        tidied += 1
        places.tidy { moves.append(($0, $1)) }
      }
      for move in moves {
        faults += held[move.new] == nil ? 0 : 1
        held[move.new] = held.removeValue(forKey: move.old)
        if let number = held[move.new] { place[number] = move.new }
      }
    }
  }
}
