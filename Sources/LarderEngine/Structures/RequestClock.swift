/// Counts requests for policies whose decisions depend on how long ago something was.
///
/// A request whose object is removed before the next one takes no time, so that a removal leaves
/// no trace.
public struct RequestClock {
  /// Requests so far.
  @inlinable
  @inline(__always)
  public var now: UInt64 { time }
  @usableFromInline var time: UInt64 = 0
  @usableFromInline var latest = ObjectID.none
  @usableFromInline var previous = ObjectID.none

  /// No request yet.
  public init() {}

  /// Counts a request for an object.
  @inlinable
  @inline(__always)
  public mutating func tick(_ id: ObjectID) {
    time += 1
    previous = latest
    latest = id
  }

  /// Takes the latest request back where it was for this object, which is being removed.
  @inlinable
  @inline(__always)
  public mutating func retract(_ id: ObjectID) {
    guard id == latest else { return }
    time -= 1
    latest = previous
    previous = .none
  }
}
