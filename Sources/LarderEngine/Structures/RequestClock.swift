/// Counts requests for policies whose decisions depend on how long ago something was.
///
/// A request whose object is removed before the next one takes no time, so that a removal leaves
/// no trace.
struct RequestClock {
  /// Requests so far.
  private(set) var now: UInt64 = 0
  private var latest = ObjectID.none
  private var previous = ObjectID.none

  /// Counts a request for an object.
  @inline(__always)
  mutating func tick(_ id: ObjectID) {
    now += 1
    previous = latest
    latest = id
  }

  /// Takes the latest request back where it was for this object, which is being removed.
  @inline(__always)
  mutating func retract(_ id: ObjectID) {
    guard id == latest else { return }
    now -= 1
    latest = previous
    previous = .none
  }
}
