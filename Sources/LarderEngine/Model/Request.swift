/// What a policy may know of one request.
///
/// Fields that a trace does not have hold the value that means "nothing special", so a policy reads
/// them without asking. Fields that a policy does not read cost nothing: the loops are specialised.
public struct Request: Sendable {
  /// The object asked for.
  public var id: ObjectID
  /// Size in units of the capacity: 1 when the capacity counts objects, bytes otherwise.
  /// For a hit it is the stored size, for an insert or a replacement the new one.
  public var size: UInt32
  /// Position of this request in the stream that the cache sees, starting at 0.
  public var index: UInt64
  /// Position of the next get that a copy kept from now on could answer, or `Request.never`.
  public var nextUse: UInt32
  /// When the entry expires, in microseconds, or `Request.noExpiry`.
  public var expires: UInt64
  /// What fetching the object from the origin costs, in units of the workload's choice. For a hit
  /// it is what fetching the stored copy cost: who does not fetch does not know today's cost.
  public var cost: Float
  /// What stands for the object's key in a sketch: the same for the same key, whatever id it has
  /// at the time. A real cache says it when it stores something; whoever needs it later keeps it.
  public var fingerprint: UInt32

  /// `nextUse` of an object that is not requested again.
  @inlinable
  public static var never: UInt32 { .max }
  /// `expires` of an entry without a time to live.
  @inlinable
  public static var noExpiry: UInt64 { .max }

  /// A request that only names its object.
  @inlinable
  @inline(__always)
  public init(
    id: ObjectID, size: UInt32 = 1, index: UInt64 = 0, nextUse: UInt32 = Request.never,
    expires: UInt64 = Request.noExpiry, cost: Float = 1
  ) {
    self.id = id
    self.size = size
    self.index = index
    self.nextUse = nextUse
    self.expires = expires
    self.cost = cost
    fingerprint = Request.fingerprint(of: id)
  }

  /// The fingerprint of an object that has no key, as in a simulation, where ids do not change.
  @inlinable
  @inline(__always)
  public static func fingerprint(of id: ObjectID) -> UInt32 {
    let product = UInt64(id).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return UInt32(truncatingIfNeeded: product.high ^ product.low)
  }

  /// Stands for "no request" where a cache evicts on its own account, as when it is trimmed.
  @inlinable
  public static var none: Request { Request(id: .none) }
}
