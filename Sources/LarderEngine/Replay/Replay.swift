/// A simulation as a value: see `Simulation`.
@usableFromInline protocol Replay: ~Copyable {
  var counts: Counts { get }
  var position: Int { get }
  var outcomes: OutcomeSizes? { get }
  var copies: UInt64 { get }
  var stateBytes: Int { get }
  var choice: PolicyChoice? { get }
  mutating func holds(_ id: ObjectID) -> Bool
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
  @usableFromInline var now: UInt64
  @usableFromInline var timeToLive: UInt64

  @inlinable @inline(__always) init(_ request: Request, now: UInt64, timeToLive: UInt64) {
    self.request = request
    self.now = now
    self.timeToLive = timeToLive
  }
}

/// A simulation of all operations, which a conforming type performs on its tiers.
@usableFromInline protocol OperationReplay: Replay, ~Copyable {
  var reader: RequestReader { get }
  var position: Int { get set }
  var totals: SimulationTotals { get set }
  var evictions: UInt64 { get }

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
      totals.counts.sets += 1
      set(object)
    case .delete:
      totals.counts.deletes += 1
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

/// A simulation as an object, with closures for specialised calls.
@usableFromInline final class HeldSimulation<Value: Replay & ~Copyable>: Simulation {
  private let held: Held<Value>
  private let runBody: (_ end: Int, _ untilFirstEviction: Bool) -> Bool
  private let holdsBody: (ObjectID) -> Bool

  @inlinable convenience init(_ simulation: consuming Value) {
    let held = Held(simulation)
    self.init(
      held, run: { end, stops in held.with { $0.run(upTo: end, untilFirstEviction: stops) } },
      holds: { id in held.with { $0.holds(id) } })
  }

  @usableFromInline init(
    _ held: Held<Value>, run: @escaping (_ end: Int, _ untilFirstEviction: Bool) -> Bool,
    holds: @escaping (ObjectID) -> Bool
  ) {
    (self.held, runBody, holdsBody) = (held, run, holds)
  }

  @usableFromInline var counts: Counts { held.place.pointee.counts }
  @usableFromInline var position: Int { held.place.pointee.position }
  @usableFromInline var stateBytes: Int { held.place.pointee.stateBytes }
  @usableFromInline var outcomes: OutcomeSizes? { held.place.pointee.outcomes }
  @usableFromInline var copies: UInt64 { held.place.pointee.copies }
  @usableFromInline var choice: PolicyChoice? { held.place.pointee.choice }
  @usableFromInline func holds(_ id: ObjectID) -> Bool { holdsBody(id) }
  @usableFromInline func run(upTo end: Int, untilFirstEviction: Bool) -> Bool {
    runBody(end, untilFirstEviction)
  }
  @usableFromInline func resetCounts() { held.place.pointee.resetCounts() }
}
