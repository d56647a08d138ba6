/// Counts requests, for policies whose decisions depend on ages.
/// A request whose object is removed before the next one is not counted.
public struct RequestClock {
  /// Requests so far.
  @inlinable @inline(__always) public var now: UInt64 { time }
  @usableFromInline var time: UInt64 = 0
  @usableFromInline var latest = ObjectID.none
  @usableFromInline var previous = ObjectID.none

  /// Creates a clock at 0.
  public init() {}

  /// Counts a request for an object.
  @inlinable @inline(__always) public mutating func tick(_ id: ObjectID) {
    time += 1
    previous = latest
    latest = id
  }

  /// Retracts the latest request if it was for this object, which is being removed.
  @inlinable @inline(__always) public mutating func retract(_ id: ObjectID) {
    guard id == latest else { return }
    time -= 1
    latest = previous
    previous = .none
  }
}

/// Numbers 1, 2, 3 ... that order calls. After 2^32 - 1 they start again, so ties between objects
/// untouched for that many calls may go either way.
public struct OrderCounter {
  @usableFromInline var last: UInt32 = 0

  /// Creates a counter before its first number.
  public init() {}

  /// The next number; never 0.
  @inlinable @inline(__always) public mutating func next() -> UInt32 {
    last = last == .max ? 1 : last + 1
    return last
  }
}

/// The number of objects in a full cache: its capacity or, with a capacity in bytes, the largest
/// number of residents so far. Policies size histories and periods by it.
public struct CacheSizeInObjects {
  @usableFromInline let capacity: Int?
  /// Resident objects.
  @inlinable @inline(__always) public var residents: Int { held }
  @usableFromInline var held = 0
  @usableFromInline var most = 1

  /// Creates the size of an empty cache.
  public init(_ setup: PolicySetup) {
    capacity = setup.unit == .objects ? Int(min(setup.capacity, 1 << 40)) : nil
  }

  /// The size in objects, at least 1.
  @inlinable @inline(__always) public var objects: Int { capacity ?? most }

  /// A share of the size, rounded down.
  @inlinable @inline(__always) public func share(_ share: Double) -> Int {
    Int(Double(objects) * share)
  }

  /// Records that an object becomes resident.
  @inlinable @inline(__always) public mutating func enter() {
    held += 1
    most = max(most, held)
  }

  /// Records that a resident object leaves.
  @inlinable @inline(__always) public mutating func leave() { held -= 1 }
}
