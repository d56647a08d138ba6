import Larder
import ScheduleSimulation
import Testing

/// The checker of `make schedules`: it must reject histories that a cache must not produce, and
/// accept those that it may.
struct HistorySearchTests {
  private static let hybrid = HistoryRules(
    isMemoryCache: false, mayLose: false, clockEnd: 100)
  private static let memory = HistoryRules(
    isMemoryCache: true, mayLose: false, clockEnd: 100)
  private static let losing = HistoryRules(
    isMemoryCache: false, mayLose: true, clockEnd: 100)

  private func call(
    _ action: HistoryEvent.Action, _ times: ClosedRange<Int>,
    clock: ClosedRange<UInt64> = 0...0, isCancelled: Bool = false
  ) -> HistoryEvent {
    var event = HistoryEvent(client: 0, key: 1, action, times, clock: clock)
    event.wasCancelled = isCancelled
    return event
  }

  private func load(
    _ owner: Int, _ answer: HistoryLoad.Answer, _ times: ClosedRange<Int>,
    _ candidate: HistoryLoad.Candidate = .none
  ) -> HistoryLoad {
    HistoryLoad(key: 1, owner: owner, candidate: candidate, answer, times)
  }

  private func isExplained(
    _ events: [HistoryEvent], _ loads: [HistoryLoad] = [],
    _ rules: HistoryRules = HistorySearchTests.hybrid
  ) -> Bool {
    History(events: events, loads: loads).unexplainedKeys(rules).isEmpty
  }

  private func fetch(_ outcome: HistoryEvent.RequestOutcome) -> HistoryEvent.Action {
    .request(.cacheElseFetch, outcome)
  }

  @Test func getsReturnACurrentValue() {
    let set = call(.set(1, life: nil, .stored), 1...2)
    let overlapping = call(.set(2, life: nil, .stored), 3...6)
    #expect(isExplained([set, overlapping, call(.get(1), 4...5), call(.get(2), 7...8)]))
    #expect(isExplained([set, overlapping, call(.get(2), 4...5)]))
    #expect(!isExplained([set, overlapping, call(.get(1), 7...8)]))
    // Once the new value was seen, the old one is gone.
    #expect(!isExplained([set, overlapping, call(.get(2), 4...5), call(.get(1), 6...8)]))
    #expect(!isExplained([set, call(.get(3), 3...4)]))
  }

  @Test func missesNeedAReason() {
    let set = call(.set(1, life: nil, .stored), 1...2)
    #expect(!isExplained([set, call(.get(nil), 3...4)]))
    #expect(isExplained([set, call(.get(nil), 3...4)], [], Self.losing))
    #expect(!isExplained([set, call(.get(nil), 3...4), call(.get(1), 5...6)], [], Self.losing))
    #expect(isExplained([set, call(.remove, 3...6), call(.get(nil), 4...5)]))
    #expect(!isExplained([set, call(.remove, 3...4), call(.get(1), 5...6)]))
    #expect(!isExplained([set, call(.set(2, life: nil, .refused), 3...4), call(.get(1), 5...6)]))
  }

  @Test func expiredValuesAreMisses() {
    let set = call(.set(1, life: 10, .stored), 1...2, clock: 5...7)
    #expect(isExplained([set, call(.get(1), 3...4, clock: 16...16)]))
    #expect(isExplained([set, call(.get(nil), 3...4, clock: 16...16)]))
    #expect(!isExplained([set, call(.get(1), 3...4, clock: 17...17)]))
    #expect(!isExplained([set, call(.get(nil), 3...4, clock: 14...14)]))
  }

  @Test func looksFollowTheRulesOfGets() {
    let set = call(.set(1, life: 10, .stored), 1...2, clock: 5...7)
    #expect(isExplained([set, call(.look(true), 3...4, clock: 16...16)]))
    #expect(isExplained([set, call(.look(false), 3...4, clock: 16...16)]))
    #expect(!isExplained([set, call(.look(true), 3...4, clock: 17...17)]))
    #expect(!isExplained([set, call(.look(false), 3...4, clock: 14...14)]))
    #expect(!isExplained([call(.look(true), 3...4)]))
    #expect(isExplained([set, call(.remove, 3...6), call(.look(false), 4...5)]))
    #expect(!isExplained([set, call(.remove, 3...4), call(.look(true), 5...6)]))
    // A look that found nothing: the register is empty afterwards.
    let none = call(.look(false), 3...4)
    #expect(isExplained([set, none, call(.get(nil), 5...6)], [], Self.losing))
    #expect(!isExplained([set, none, call(.get(1), 5...6)], [], Self.losing))
  }

  @Test func accessesProlongEntries() {
    var rules = Self.memory
    rules.idleLife = 10...12
    let set = call(.set(1, life: nil, .stored), 1...2, clock: 0...1)
    func isAllowed(_ action: HistoryEvent.Action, at clock: UInt64, after: [HistoryEvent]) -> Bool {
      isExplained([set] + after + [call(action, 20...21, clock: clock...clock)], [], rules)
    }
    #expect(isAllowed(.get(1), at: 12, after: []) && !isAllowed(.get(1), at: 13, after: []))
    #expect(isAllowed(.get(nil), at: 10, after: []) && !isAllowed(.get(nil), at: 9, after: []))
    let get = call(.get(1), 3...4, clock: 5...6)
    #expect(isAllowed(.get(1), at: 17, after: [get]) && !isAllowed(.get(1), at: 18, after: [get]))
    #expect(isAllowed(.get(nil), at: 15, after: [get]))
    #expect(!isAllowed(.get(nil), at: 14, after: [get]))
    #expect(!isAllowed(.look(false), at: 14, after: [get]))
    let look = call(.look(true), 3...4, clock: 5...6)
    #expect(!isAllowed(.get(1), at: 13, after: [look]))
    #expect(isAllowed(.get(nil), at: 10, after: [look]))
    // A request may have been answered without an access.
    let request = call(fetch(.value(1)), 3...4, clock: 5...6)
    #expect(isAllowed(.get(1), at: 17, after: [request]))
    #expect(isAllowed(.get(nil), at: 10, after: [request]))
    #expect(!isAllowed(.get(1), at: 18, after: [request]))
  }

  @Test func updatesAreOneStep() {
    let updates = [call(.update(old: nil, new: 1), 1...4), call(.update(old: 1, new: 2), 2...3)]
    #expect(isExplained(updates, [], Self.memory))
    let lost = [call(.update(old: nil, new: 1), 1...4), call(.update(old: nil, new: 2), 2...3)]
    #expect(!isExplained(lost, [], Self.memory))
  }

  @Test func loadsAreStored() {
    let request = call(fetch(.fetched(1)), 1...6)
    let brought = load(0, .value(1, life: nil), 2...3)
    #expect(isExplained([request, call(.get(1), 7...8)], [brought]))
    #expect(!isExplained([request, call(.get(nil), 7...8)], [brought]))
    #expect(isExplained([request, call(fetch(.fetched(1)), 2...7)], [brought]))
    // No request joins a load that has ended.
    #expect(!isExplained([request, call(fetch(.fetched(1)), 7...8)], [brought]))
  }

  @Test func overtakenLoadsAreNotStored() {
    let request = call(fetch(.fetched(1)), 1...9)
    let brought = load(0, .value(1, life: nil), 2...7)
    let removal = call(.remove, 3...4)
    #expect(isExplained([request, removal, call(.get(nil), 10...11)], [brought]))
    #expect(!isExplained([request, removal, call(.get(1), 10...11)], [brought]))
    // A request after the removal does not receive a value requested before it.
    #expect(!isExplained([request, removal, call(fetch(.fetched(1)), 5...10)], [brought]))
    let set = call(.set(2, life: nil, .stored), 3...4)
    #expect(isExplained([request, set, call(.get(2), 10...11)], [brought]))
    #expect(!isExplained([request, set, call(.get(1), 10...11)], [brought]))
  }

  @Test func aKeyHasOneLoad() {
    let requests = [call(fetch(.fetched(1)), 1...9), call(fetch(.fetched(2)), 2...10)]
    let loads = [load(0, .value(1, life: nil), 3...6), load(1, .value(2, life: nil), 4...7)]
    #expect(!isExplained(requests, loads))
    #expect(!isExplained(requests, loads, Self.losing))
    #expect(isExplained(requests + [call(.remove, 3...4)], loads))
    let cancelled = call(fetch(.cancelled), 1...9, isCancelled: true)
    #expect(isExplained([cancelled, requests[1]], [load(0, .cancelled, 3...6), loads[1]]))
    let uncancelled = call(fetch(.cancelled), 1...9)
    #expect(!isExplained([uncancelled], [load(0, .cancelled, 3...6)]))
  }

  @Test func confirmedValuesAreThePresentOnes() {
    let set = call(.set(1, life: nil, .stored), 1...2)
    let request = call(.request(.fetch, .confirmed(1)), 3...9)
    let confirmed = load(1, .notModified, 4...5, .some(1))
    #expect(isExplained([set, request, call(.get(1), 10...11)], [confirmed]))
    // Removed before another request for it.
    let before = call(.request(.fetch, .confirmed(1)), 5...9)
    let removal = call(.remove, 3...4)
    #expect(!isExplained([set, before, removal], [load(1, .notModified, 6...7, .some(1))]))
    let during = call(.remove, 6...7)
    #expect(isExplained([set, request, during, call(.get(nil), 10...11)], [confirmed]))
    #expect(!isExplained([set, request, during, call(.get(1), 10...11)], [confirmed]))
  }

  @Test func staleValuesAreThePresentOnes() {
    let sets = [
      call(.set(1, life: nil, .stored), 1...2), call(.set(3, life: 10, .stored), 3...4),
    ]
    let stale = HistoryEvent.Action.request(.cacheThenFetch, .stale(3))
    let older = HistoryEvent.Action.request(.cacheThenFetch, .stale(1))
    #expect(isExplained(sets + [call(stale, 5...6, clock: 50...50)]))
    #expect(!isExplained(sets + [call(older, 5...6, clock: 50...50)]))
  }

  @Test func errorsAreThoseOfAJoinedLoad() {
    let failed = load(0, .failed, 2...3)
    #expect(isExplained([call(fetch(.failed(load: 0)), 1...4)], [failed]))
    #expect(!isExplained([call(fetch(.unexpected("x")), 1...4)], [failed]))
  }

  // MARK: Keys without a value

  private static let absence = HistoryRules(
    isMemoryCache: true, mayLose: true, absenceLife: 10, clockEnd: 100)

  private func ask(
    _ outcome: HistoryEvent.RequestOutcome, _ times: ClosedRange<Int>,
    clock: ClosedRange<UInt64> = 0...0
  ) -> HistoryEvent {
    var event = call(fetch(outcome), times, clock: clock)
    event.asksForAbsence = true
    return event
  }

  @Test func absenceIsAValidResultForItsLifetime() {
    let first = ask(.absent, 1...4)
    let none = load(0, .absent, 2...3)
    #expect(isExplained([first, ask(.absent, 5...6, clock: 9...9)], [none], Self.absence))
    #expect(!isExplained([first, ask(.absent, 5...6, clock: 10...10)], [none], Self.absence))
    // Requests without negative caching neither record a missing value nor receive it.
    #expect(!isExplained([first, call(fetch(.absent), 5...6)], [none], Self.absence))
    #expect(
      !isExplained([call(fetch(.absent), 1...4), ask(.absent, 5...6)], [none], Self.absence))
    #expect(!isExplained([ask(.absent, 5...6)], [], Self.absence))
  }

  @Test(arguments: [
    HistoryEvent.Action.set(1, life: nil, .stored), .set(1, life: nil, .refused), .remove,
    .update(old: nil, new: 1),
  ])
  func changeOfAKeyForgetsItsAbsence(change: HistoryEvent.Action) {
    let first = ask(.absent, 1...4)
    let none = load(0, .absent, 2...3)
    let again = ask(.absent, 8...9)
    #expect(!isExplained([first, call(change, 5...6), again], [none], Self.absence))
    #expect(isExplained([first, call(change, 5...8), again], [none], Self.absence))
    // The same holds during a load.
    let longer = ask(.absent, 1...7)
    let later = load(0, .absent, 2...6)
    #expect(!isExplained([longer, call(change, 3...4), again], [later], Self.absence))
  }

  @Test func absenceIsInvalidAfterAValueWasSeen() {
    let first = ask(.absent, 1...4)
    let none = load(0, .absent, 2...3)
    // The set has not ended, but its value was seen and evicted.
    let set = call(.set(1, life: nil, .stored), 5...20)
    let seen = call(.get(1), 6...7)
    #expect(isExplained([first, set, seen, call(.get(nil), 8...9)], [none], Self.absence))
    #expect(!isExplained([first, set, seen, ask(.absent, 8...9)], [none], Self.absence))
  }

  @Test(arguments: [false, true])
  func foundValueIsPassedToJoiningRequests(returnsExpired: Bool) {
    var rules = Self.memory
    (rules.mayLose, rules.returnsExpired) = (true, returnsExpired)
    let set = call(.set(1, life: nil, .stored), 1...2)
    let missed = call(.get(nil), 4...5)
    let joined = call(fetch(.value(1)), 6...8)
    #expect(isExplained([set, call(fetch(.value(1)), 3...9), missed, joined], [], rules))
    #expect(!isExplained([set, missed, joined], [], rules))
  }

  @Test func answeredLoadCannotBeJoined() {
    let first = call(fetch(.value(1)), 1...4)
    let brought = load(0, .value(1, life: nil), 2...3, .unknown)
    let removal = call(.set(2, life: nil, .stored), 5...6)
    #expect(isExplained([first, call(fetch(.value(1)), 3...7), removal], [brought], Self.memory))
    #expect(!isExplained([first, removal, call(fetch(.value(1)), 7...8)], [brought], Self.memory))
  }
}
