import LarderEngine

/// One line of a test's trace.
struct TestRequest: CustomStringConvertible {
  var operation = Operation.get
  var id: ObjectID
  var size: UInt32 = 1
  var timeSeconds: UInt32 = 0
  /// Seconds; 0 for no time to live.
  var ttlSeconds: UInt32 = 0
  var cost: Float = 1

  /// Everything that is not a default, as in `12 s: set 3, size 7, ttl 5 s`.
  var description: String {
    var text = timeSeconds == 0 ? "" : "\(timeSeconds) s: "
    text += "\(operation) \(id)"
    if size != 1 { text += ", size \(size)" }
    if ttlSeconds != 0 { text += ", ttl \(ttlSeconds) s" }
    if cost != 1 { text += ", cost \(cost)" }
    return text
  }
}
