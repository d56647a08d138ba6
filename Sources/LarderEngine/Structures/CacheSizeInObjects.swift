/// How many objects a cache holds when it is full: its capacity, or, where that is in bytes, the
/// most that were resident so far. What policies measure histories and periods by.
public struct CacheSizeInObjects {
  @usableFromInline let capacity: Int?
  /// Resident objects.
  @inlinable
  @inline(__always)
  public var residents: Int { held }
  @usableFromInline var held = 0
  @usableFromInline var most = 1

  /// An empty cache.
  public init(_ setup: PolicySetup) {
    capacity = setup.unit == .objects ? Int(min(setup.capacity, 1 << 40)) : nil
  }

  /// At least 1.
  @inlinable
  @inline(__always)
  public var objects: Int { capacity ?? most }

  /// A share of the size, rounded down.
  @inlinable
  @inline(__always)
  public func share(_ share: Double) -> Int { Int(Double(objects) * share) }

  /// An object becomes resident.
  @inlinable
  @inline(__always)
  public mutating func enter() {
    held += 1
    most = max(most, held)
  }

  /// A resident object leaves.
  @inlinable
  @inline(__always)
  public mutating func leave() { held -= 1 }
}
