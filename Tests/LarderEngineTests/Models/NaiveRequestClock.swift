import LarderEngine

/// Time in requests. A removal takes the latest request back where it was for the object removed,
/// and after that the one before it.
struct NaiveRequestClock {
  var now = 0
  /// The latest two at most, the latest last.
  var latest: [ObjectID] = []

  mutating func tick(_ id: ObjectID) {
    now += 1
    latest = latest.suffix(1) + [id]
  }
  mutating func retract(_ id: ObjectID) {
    guard latest.last == id else { return }
    now -= 1
    latest.removeLast()
  }
}
