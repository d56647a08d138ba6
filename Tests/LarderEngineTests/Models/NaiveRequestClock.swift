import LarderEngine

/// Time in requests. A removal retracts the latest request if it was for the removed object, and
/// then the one before it.
struct NaiveRequestClock {
  var now = 0
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
