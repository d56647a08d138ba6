import Larder

extension HistorySearch {
  /// Returns the possible states of the register after a point; none if the point cannot come next.
  func after(_ point: Point, _ state: State) -> [State] {
    switch point {
    case .call(let number): after(calls[number], number, state)
    case .begin(let number): begin(number, state)
    case .land(let number): land(number, state)
    }
  }

  // MARK: The register

  func value(_ write: UInt8, _ state: State) -> Int? {
    guard write != 0 else { return nil }
    let known = writes[Int(write)]
    return known.value ?? value(state.candidates[known.load], state)
  }

  private func mayBeExpired(_ state: State, at clock: UInt64) -> Bool {
    if state.write == 0 { return false }
    if writes[Int(state.write)].expiresFirst <= clock { return true }
    guard let idle = rules.idleLife else { return false }
    return clock >= state.accessedFirst && clock - state.accessedFirst >= idle.lowerBound
  }

  private func mayBeUsed(_ state: State, at clock: UInt64) -> Bool {
    guard state.write != 0, clock < writes[Int(state.write)].expiresLast else { return false }
    guard let idle = rules.idleLife else { return true }
    return clock <= state.accessedLast || clock - state.accessedLast < idle.upperBound
  }

  private func accessed(_ state: State, by call: HistoryEvent, surely: Bool) -> State {
    var next = state
    guard rules.idleLife != nil else { return next }
    if surely { next.accessedFirst = max(next.accessedFirst, call.clockInvoked) }
    next.accessedLast = max(next.accessedLast, call.clockResponded)
    return next
  }

  private func with(_ state: State, _ write: UInt8) -> State {
    var next = state
    next.write = write
    if rules.idleLife != nil {
      next.accessedFirst = writes[Int(write)].storedFirst
      next.accessedLast = writes[Int(write)].storedLast
    }
    if write != 0 {
      next.absence = 0
      for load in loads.indices where hasBegun(load, state) { next.outdated |= 1 << UInt16(load) }
    }
    return next
  }

  private func overtaking(_ state: State) -> State {
    var next = state
    next.found = 0
    next.absence = 0
    for load in loads.indices where hasBegun(load, state) { next.overtaken |= 1 << UInt16(load) }
    return next
  }

  private func hasBegun(_ load: Int, _ state: State) -> Bool {
    state.passed >> UInt64(beginPoint[load]) & 1 == 1
  }

  private func hasLanded(_ load: Int, _ state: State) -> Bool {
    state.passed >> UInt64(landPoint[load]) & 1 == 1
  }

  private func isOvertaken(_ load: Int, _ state: State) -> Bool {
    state.overtaken >> UInt16(load) & 1 == 1
  }

  // MARK: Calls

  private func after(_ call: HistoryEvent, _ number: Int, _ state: State) -> [State] {
    switch call.action {
    case .get(let found): return get(found, call, state)
    case .look(true): return mayBeUsed(state, at: call.clockInvoked) ? [state] : []
    case .look(false): return miss(state, at: call.clockResponded)
    case .set(_, _, let outcome):
      let next = overtaking(state)
      let stored = with(next, writeOfCall[number] ?? 0)
      switch outcome {
      case .stored: return [stored]
      case .refused:
        var refused = stored
        refused.write = 0
        return [refused]
      case .failed: return [stored, with(next, 0)]
      }
    case .update(let old, _):
      return get(old, call, state).map { with(overtaking($0), writeOfCall[number] ?? 0) }
    case .remove: return [with(overtaking(state), 0)]
    case .request(let strategy, let outcome):
      return request(strategy, outcome, call, number, state)
    case .nothing: return [state]
    }
  }

  private func get(
    _ found: Int?, _ call: HistoryEvent, _ state: State, isAccess: Bool = true
  ) -> [State] {
    if let found {
      guard value(state.write, state) == found, mayBeUsed(state, at: call.clockInvoked) else {
        return []
      }
      return [accessed(state, by: call, surely: isAccess)]
    }
    return miss(state, at: call.clockResponded)
  }

  private func miss(_ state: State, at clock: UInt64) -> [State] {
    if state.write == 0 { return [state] }
    if mayBeExpired(state, at: clock) { return [state] }
    if rules.mayMissWhatIsThere { return [state, with(state, 0)] }
    return rules.mayLose ? [with(state, 0)] : []
  }

  private func request(
    _ strategy: CacheStrategy, _ outcome: HistoryEvent.RequestOutcome, _ call: HistoryEvent,
    _ number: Int, _ state: State
  ) -> [State] {
    switch outcome {
    case .fresh(let found): return get(found, call, state)
    case .stale(let found):
      if strategy == .cacheThenFetch, value(state.write, state) == found { return [state] }
      return joins(number, state) { load in
        (loads[load].answer == .failed || loads[load].answer == .cancelled)
          && value(state.candidates[load], state) == found
      }
    case .confirmed(let found):
      return joins(number, state) { load in
        loads[load].answer == .notModified && value(state.candidates[load], state) == found
      }
    case .fetched(let found): return joins(number, state) { brings($0, found) }
    case .value(let found):
      let held = get(found, call, state, isAccess: false)
      if held.isEmpty {
        if rules.returnsExpired, value(state.write, state) == found {
          return [accessed(state, by: call, surely: false)]
        }
        return isFound(found, call, state) ? [state] : joins(number, state) { brings($0, found) }
      }
      return held.map { state in
        var next = state
        next.found |= 1 << UInt64(number)
        return next
      }
    case .absent:
      if strategy == .cacheOnly { return miss(state, at: call.clockResponded) }
      let joined = joins(number, state) { loads[$0].answer == .absent }
      guard call.asksForAbsence, isRemembered(state, at: call.clockInvoked) else { return joined }
      return joined + miss(state, at: call.clockResponded)
    case .failed(let load): return joins(number, state) { numbers[$0] == load }
    case .cancelled: return call.wasCancelled ? [state] : []
    case .unexpected: return []
    }
  }

  private func isFound(_ value: Int, _ call: HistoryEvent, _ state: State) -> Bool {
    calls.indices.contains { number in
      state.found >> UInt64(number) & 1 == 1 && calls[number].returns(value)
        && calls[number].responded > call.invoked
    }
  }

  private func isRemembered(_ state: State, at clock: UInt64) -> Bool {
    state.absence != 0 && clock < absentUntil[Int(state.absence) - 1]
  }

  private func brings(_ load: Int, _ found: Int) -> Bool {
    if case .value(found, _) = loads[load].answer { true } else { false }
  }

  /// Returns the unchanged state if the request may be answered by one of the loads for which
  /// `isIt` returns true.
  private func joins(_ call: Int, _ state: State, _ isIt: (Int) -> Bool) -> [State] {
    for load in loads.indices where hasBegun(load, state) && isIt(load) {
      if owners[load] == call { return [state] }
      if isOvertaken(load, state) { continue }
      let mayBeJoined =
        rules.isMemoryCache ? calls[call].invoked < answered[load] : !hasLanded(load, state)
      if mayBeJoined { return [state] }
    }
    return []
  }

  // MARK: Loads

  private func begin(_ load: Int, _ state: State) -> [State] {
    for other in loads.indices where other != load && hasBegun(other, state) {
      if hasLanded(other, state) || isOvertaken(other, state) || mayBeAbandoned[other] { continue }
      return []
    }
    var next = state
    next.candidates[load] = state.write
    let given = loads[load]
    switch given.candidate {
    case .some(let found?): return value(state.write, state) == found ? [next] : []
    case .some(nil):
      let isOne = value(state.write, state).map { !HistoryEvent.hasVersion($0) } ?? false
      return isOne ? [next] : []
    case .none:
      next.candidates[load] = 0
      return miss(next, at: given.clockStarted)
    case .unknown:
      if rules.returnsExpired || mayBeOvertakenAtOnce(load, state) { return [next] }
      return miss(next, at: given.clockStarted)
    }
  }

  /// True if a set or a removal may come between the beginning of a load and the call of its
  /// loader.
  private func mayBeOvertakenAtOnce(_ load: Int, _ state: State) -> Bool {
    calls.indices.contains { number in
      guard calls[number].invoked < loads[load].started else { return false }
      if state.passed >> UInt64(number) & 1 == 1 { return false }
      switch calls[number].action {
      case .set, .remove, .update: return true
      default: return false
      }
    }
  }

  private func land(_ load: Int, _ state: State) -> [State] {
    if isOvertaken(load, state) { return [state] }
    let mayChangeNothing = rules.mayLose || mayBeAbandoned[load]
    switch loads[load].answer {
    case .failed, .cancelled: return [state]
    case .absent:
      if rules.isMemoryCache { return landAbsence(of: load, state) }
      return mayChangeNothing ? [with(state, 0), state] : [with(state, 0)]
    case .notModified:
      if state.candidates[load] == 0 { return [state] }
      let renewed = with(state, writeOfLoad[load] ?? 0)
      return mayChangeNothing ? [renewed, state] : [renewed]
    case .value:
      let stored = with(state, writeOfLoad[load] ?? 0)
      if !rules.isMemoryCache { return mayChangeNothing ? [stored, state] : [stored] }
      // A value stored meanwhile stays, unless it is the one that the load replaces.
      let isThere = state.write != 0
      let givesWay =
        !isThere || rules.mayLose || state.write == state.candidates[load]
        || mayBeExpired(state, at: rules.clockEnd)
      return (givesWay ? [stored] : []) + (isThere || mayChangeNothing ? [state] : [])
    }
  }

  /// State after a memory cache learns that there is no value: removes the value that a load
  /// replaces, and no other.
  private func landAbsence(of load: Int, _ state: State) -> [State] {
    var next = state
    let isOutdated = state.outdated >> UInt16(load) & 1 == 1
    let asks = owners[load].map { calls[$0].asksForAbsence } ?? false
    if asks, !isOutdated { next.absence = UInt8(load + 1) }
    var results = mayBeAbandoned[load] ? [next, state] : [next]
    if state.write == state.candidates[load] || mayBeExpired(state, at: rules.clockEnd) {
      next.write = 0
      results.append(next)
    }
    return results
  }
}
