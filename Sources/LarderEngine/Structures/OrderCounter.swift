/// Numbers 1, 2, 3 ... for the order of calls. After 2^32 - 1 it starts again, so ties between
/// objects untouched for as many calls may then go either way.
public struct OrderCounter {
  @usableFromInline var last: UInt32 = 0

  /// Nothing counted yet.
  public init() {}

  /// The next number; never 0.
  @inlinable
  @inline(__always)
  public mutating func next() -> UInt32 {
    last = last == .max ? 1 : last + 1
    return last
  }
}
