import LarderEngine

/// A cache on flash that decides where objects go and which of them are dropped.
protocol FlashStore {
  /// What was written so far.
  var counts: FlashCounts { get set }
  /// Objects dropped to make room, so far.
  var evictions: UInt64 { get set }
  /// Memory held, in bytes, roughly.
  var stateBytes: Int { get }
  /// Whether an object is stored.
  func contains(_ id: ObjectID) -> Bool
  /// A stored object was asked for.
  mutating func hit(_ id: ObjectID)
  /// Stores an object that is not stored; false if its size does not allow it.
  mutating func insert(_ id: ObjectID, _ size: UInt32) -> Bool
  /// Removes a stored object.
  mutating func remove(_ id: ObjectID)
}
