/// The stored size of every resident object, as the cache that owns the sizes shows it to a policy.
///
/// A policy that divides its capacity (segments, windows) asks here what an object weighs, so that
/// no size is stored twice and counting objects costs nothing.
public protocol ObjectSizes: BitwiseCopyable {
  /// The stored size of `id`, which must be resident.
  subscript(id: ObjectID) -> UInt32 { get }
}

/// Every object weighs 1: the capacity counts objects.
public struct UnitSizes: ObjectSizes {
  /// A view that needs no memory.
  @inlinable
  public init() {}

  /// Always 1.
  @inlinable
  @inline(__always)
  public subscript(id: ObjectID) -> UInt32 { 1 }
}
