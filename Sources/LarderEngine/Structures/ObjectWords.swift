/// A word for each object, by id, in which a ring keeps the object's position.
public protocol ObjectWords: ~Copyable {
  /// The word of an object.
  subscript(id: ObjectID) -> UInt32 { get nonmutating set }
}

extension SharedColumn: ObjectWords {}
extension Column: ObjectWords where Element == UInt32 {}
