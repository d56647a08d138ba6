import LarderEngine

/// One line of a test's trace.
package struct TestRequest: CustomStringConvertible {
  /// What it does.
  package var operation: LarderEngine.Operation
  /// The object.
  package var id: ObjectID
  /// The object's size.
  package var size: UInt32
  /// When it comes.
  package var timeSeconds: UInt32
  /// Seconds; 0 for no time to live.
  package var ttlSeconds: UInt32
  /// What fetching the object costs.
  package var cost: Float

  /// A request from its parts.
  package init(
    operation: LarderEngine.Operation = .get, id: ObjectID, size: UInt32 = 1,
    timeSeconds: UInt32 = 0, ttlSeconds: UInt32 = 0, cost: Float = 1
  ) {
    self.operation = operation
    self.id = id
    self.size = size
    self.timeSeconds = timeSeconds
    self.ttlSeconds = ttlSeconds
    self.cost = cost
  }

  /// Everything that is not a default, as in `12 s: set 3, size 7, ttl 5 s`.
  package var description: String {
    var text = timeSeconds == 0 ? "" : "\(timeSeconds) s: "
    text += "\(operation) \(id)"
    if size != 1 { text += ", size \(size)" }
    if ttlSeconds != 0 { text += ", ttl \(ttlSeconds) s" }
    if cost != 1 { text += ", cost \(cost)" }
    return text
  }
}
