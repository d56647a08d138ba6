/// A dense object number: 1, 2, 3 ... in order of first appearance.
///
/// Policies know objects by nothing else. Zero is never an object: it is the empty slot of a ring,
/// the end of a list and the answer "nothing".
public typealias ObjectID = UInt32

extension ObjectID {
  /// The id that no object has.
  @inlinable
  public static var none: ObjectID { 0 }

  /// The largest number of distinct objects that ids can tell apart: 2^32 - 2.
  @inlinable
  public static var maximumCount: Int { Int(UInt32.max) - 1 }
}
