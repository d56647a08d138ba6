/// A simulation as a value: see `Simulation`.
@usableFromInline protocol Replay: ~Copyable {
  var counts: Counts { get }
  var position: Int { get }
  var outcomes: OutcomeSizes? { get }
  /// Values copied to recycle segments since the start or the last `resetCounts`.
  var copies: UInt64 { get }
  var stateBytes: Int { get }
  var choice: PolicyChoice? { get }
  /// True if a get of an object would be a hit as the next request.
  func holds(_ id: ObjectID) -> Bool
  mutating func run(upTo end: Int, untilFirstEviction: Bool) -> Bool
  mutating func resetCounts()
}

extension Replay where Self: ~Copyable {
  @inlinable var outcomes: OutcomeSizes? { nil }

  @inlinable var copies: UInt64 { 0 }

  @inlinable func holds(_ id: ObjectID) -> Bool { false }
}

/// A request of any operation, as of a time.
@usableFromInline struct TimedRequest {
  @usableFromInline var request: Request
  /// Microseconds, or requests if these are the clock.
  @usableFromInline var now: UInt64
  @usableFromInline var timeToLive: UInt64

  @inlinable @inline(__always) init(_ request: Request, now: UInt64, timeToLive: UInt64) {
    self.request = request
    self.now = now
    self.timeToLive = timeToLive
  }
}

/// A simulation of all operations. The loop over the requests and the counting of operations are
/// here; a conforming type performs the operations on its tiers.
@usableFromInline protocol OperationReplay: Replay, ~Copyable {
  var reader: RequestReader { get }
  var position: Int { get set }
  var totals: SimulationTotals { get set }
  var evictions: UInt64 { get }

  /// Prefetches the state for the requests that follow one.
  func prefetch(ahead position: Int)
  mutating func advance(to arrival: UInt64) -> UInt64

  mutating func get(_ object: TimedRequest)
  mutating func set(_ object: TimedRequest)
  mutating func delete(_ object: TimedRequest)
  mutating func modify(_ request: Request)
  mutating func bypass(_ object: TimedRequest)
  mutating func expire(_ object: TimedRequest)
}

extension OperationReplay where Self: ~Copyable {
  @inlinable @inline(__always) mutating func advance(to arrival: UInt64) -> UInt64 { arrival }

  @inlinable mutating func run(upTo end: Int, untilFirstEviction: Bool) -> Bool {
    let reader = reader
    let end = min(end, reader.columns.count)
    while position < end {
      prefetch(ahead: position)
      let now = advance(to: reader.time(at: position))
      apply(reader.operation(at: position), reader.timed(at: position, now: now))
      position += 1
      if untilFirstEviction, evictions > 0 { return true }
    }
    return false
  }

  @inlinable @inline(__always) mutating func apply(_ operation: Operation, _ object: TimedRequest) {
    switch operation {
    case .get:
      totals.request(object.request)
      get(object)
    case .set:
      totals.sets += 1
      set(object)
    case .delete:
      totals.deletes += 1
      delete(object)
    case .modify: modify(object.request)
    case .bypass:
      totals.request(object.request)
      bypass(object)
    case .expire: expire(object)
    }
  }
}

/// Reads requests from columns, some of which may be missing.
@usableFromInline struct RequestReader {
  @usableFromInline let columns: RequestColumns
  @usableFromInline let countsBytes: Bool

  @inlinable init(_ columns: RequestColumns, unit: CapacityUnit) {
    self.columns = columns
    countsBytes = unit == .bytes
  }

  @inlinable @inline(__always) func operation(at index: Int) -> Operation {
    guard let operations = columns.operations else { return .get }
    return Operation(rawValue: operations[index]) ?? .get
  }

  @inlinable @inline(__always) func time(at index: Int) -> UInt64 { columns.times?[index] ?? 0 }

  @inlinable @inline(__always) func timed(at index: Int, now: UInt64) -> TimedRequest {
    TimedRequest(
      request(at: index), now: now, timeToLive: UInt64(columns.ttls?[index] ?? 0) * 1_000_000)
  }

  @inlinable @inline(__always) func request(at index: Int) -> Request {
    Request(
      id: columns.ids[index], size: countsBytes ? bytes(at: index) : 1, index: UInt64(index),
      nextUse: columns.nextUses?[index] ?? Request.never, cost: columns.costs?[index] ?? 1)
  }

  @inlinable @inline(__always) func bytes(at index: Int) -> UInt32 { columns.sizes?[index] ?? 1 }

  @inlinable @inline(__always) func ahead(of position: Int) -> (far: ObjectID, near: ObjectID) {
    let last = columns.count - 1
    return (columns.ids[min(position + 16, last)], columns.ids[min(position + 8, last)])
  }
}

/// A simulation whose type is not known to the caller.
///
/// Closures, because what a closure calls is specialised for the types it was made with; one call
/// runs millions of requests.
@usableFromInline package final class ErasedSimulation: Simulation {
  @usableFromInline let runBody: (_ end: Int, _ untilFirstEviction: Bool) -> Bool
  @usableFromInline let resetBody: () -> Void
  @usableFromInline let countsBody: () -> Counts
  @usableFromInline let positionBody: () -> Int
  @usableFromInline let stateBytesBody: () -> Int
  @usableFromInline let outcomesBody: () -> OutcomeSizes?
  @usableFromInline let copiesBody: () -> UInt64
  @usableFromInline let choiceBody: () -> PolicyChoice?
  @usableFromInline let holdsBody: (ObjectID) -> Bool

  @inlinable init<Value: Replay & ~Copyable>(_ simulation: consuming Value) {
    let held = Held(simulation)
    runBody = { end, stops in held.with { $0.run(upTo: end, untilFirstEviction: stops) } }
    resetBody = { held.with { $0.resetCounts() } }
    countsBody = { held.with { $0.counts } }
    positionBody = { held.with { $0.position } }
    stateBytesBody = { held.with { $0.stateBytes } }
    outcomesBody = { held.with { $0.outcomes } }
    copiesBody = { held.with { $0.copies } }
    choiceBody = { held.with { $0.choice } }
    holdsBody = { id in held.with { $0.holds(id) } }
  }

  /// See `Simulation`.
  @usableFromInline package var counts: Counts { countsBody() }
  @usableFromInline package var position: Int { positionBody() }
  @usableFromInline package var stateBytes: Int { stateBytesBody() }
  @usableFromInline package var outcomes: OutcomeSizes? { outcomesBody() }
  package var copies: UInt64 { copiesBody() }
  /// See `Simulation`.
  @usableFromInline package var choice: PolicyChoice? { choiceBody() }
  /// See `Simulation`.
  @usableFromInline package func holds(_ id: ObjectID) -> Bool { holdsBody(id) }
  /// Replays requests up to `end`, exclusive; see `Simulation.run`.
  @usableFromInline package func run(upTo end: Int, untilFirstEviction: Bool) -> Bool {
    runBody(end, untilFirstEviction)
  }
  @usableFromInline package func resetCounts() { resetBody() }
}
