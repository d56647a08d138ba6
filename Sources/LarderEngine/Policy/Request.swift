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
  @inlinable public static var never: UInt32 { .max }
  /// `expires` of an entry without a time to live.
  @inlinable public static var noExpiry: UInt64 { .max }

  /// A request that only names its object.
  @inlinable @inline(__always) public init(
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
  @inlinable @inline(__always) public static func fingerprint(of id: ObjectID) -> UInt32 {
    let product = UInt64(id).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return UInt32(truncatingIfNeeded: product.high ^ product.low)
  }

  /// Stands for "no request" where a cache evicts on its own account, as when it is trimmed.
  @inlinable public static var none: Request { Request(id: .none) }
}

/// A dense object number: 1, 2, 3 ... in order of first appearance.
///
/// Policies know objects by nothing else. Zero is never an object: it is the empty slot of a ring,
/// the end of a list and the answer "nothing".
public typealias ObjectID = UInt32

extension ObjectID {
  /// The id that no object has.
  @inlinable public static var none: ObjectID { 0 }

  /// The largest number of distinct objects that ids can tell apart: 2^32 - 2.
  @inlinable public static var maximumCount: Int { Int(UInt32.max) - 1 }
}

extension ObjectID {
  /// The id as a key of 64 bits that looks like any other: a fixed permutation of the numbers (the
  /// finaliser of MurmurHash3, Appleby 2011), so that keys are spread over all integers as those of
  /// an app would be.
  @inlinable @inline(__always) package var spread: UInt64 {
    var key = UInt64(self)
    key = (key ^ key >> 33) &* 0xFF51_AFD7_ED55_8CCD
    key = (key ^ key >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return key ^ key >> 33
  }

  /// The id of which a number is the `spread`.
  @inlinable @inline(__always) package init(spread: UInt64) {
    // Half of the bits shifted over the other half undo themselves; the factors are inverses.
    var key = (spread ^ spread >> 33) &* 0x9CB4_B2F8_1293_37DB
    key = (key ^ key >> 33) &* 0x4F74_430C_22A5_4005
    self.init(truncatingIfNeeded: key ^ key >> 33)
  }
}

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
  @inlinable public init() {}

  /// Always 1.
  @inlinable @inline(__always) public subscript(id: ObjectID) -> UInt32 { 1 }
}

/// What a capacity counts.
public enum CapacityUnit: String, Sendable, Hashable, CaseIterable, Codable {
  /// Every object weighs 1.
  case objects
  /// Every object weighs its stored size in bytes.
  case bytes
}

/// What a request does.
public enum Operation: UInt8, Sendable, CaseIterable {
  /// Look up; on a miss fetch from the origin and insert. Counted as a request.
  case get = 0
  /// Insert or replace. Neither a hit nor a miss.
  case set = 1
  /// Remove.
  case delete = 2
  /// The object changed at its origin and the cache is not told: copies stored before are stale.
  case modify = 3
  /// A request whose answer nothing may store, such as a POST or a server's error: it passes the
  /// cache. Counted as a request and a miss; nothing is looked up, stored or removed.
  case bypass = 4
  /// Give a stored object the request's time to live from now on, or none if that is 0. Not
  /// counted and not a use; does nothing if the object is not stored or has expired.
  case expire = 5
}

/// A prepared trace as the simulation loops read it: columns of equal length, read-only.
///
/// Columns that the source does not have are nil. `owner` keeps the memory alive. The ids are
/// between 1 and `objects`: whoever makes the columns has checked that, the loops do not.
public struct RequestColumns: @unchecked Sendable {
  /// Number of requests.
  public var count: Int
  /// Number of distinct objects; ids run from 1 to this.
  public var objects: Int
  /// The object of each request.
  public var ids: UnsafePointer<ObjectID>
  /// Bytes.
  public var sizes: UnsafePointer<UInt32>?
  /// Microseconds, not decreasing.
  public var times: UnsafePointer<UInt64>?
  /// Raw values of `Operation`.
  public var operations: UnsafePointer<UInt8>?
  /// Seconds; 0 means no time to live.
  public var ttls: UnsafePointer<UInt32>?
  /// Cost of a fetch.
  public var costs: UnsafePointer<Float>?
  /// Index of the next get that a copy kept from this request on could answer, or
  /// `Request.never`.
  public var nextUses: UnsafePointer<UInt32>?
  /// Keeps the memory behind the pointers alive.
  public var owner: AnyObject?

  /// Columns over memory that `owner` keeps alive. Counts are not negative, and there are no more
  /// objects than ids tell apart.
  public init(
    count: Int, objects: Int, ids: UnsafePointer<ObjectID>, sizes: UnsafePointer<UInt32>? = nil,
    times: UnsafePointer<UInt64>? = nil, operations: UnsafePointer<UInt8>? = nil,
    ttls: UnsafePointer<UInt32>? = nil, costs: UnsafePointer<Float>? = nil,
    nextUses: UnsafePointer<UInt32>? = nil, owner: AnyObject?
  ) {
    precondition(
      count >= 0 && 0...ObjectID.maximumCount ~= objects,
      "columns of \(count) requests for \(objects) objects")
    self.count = count
    self.objects = objects
    self.ids = ids
    self.sizes = sizes
    self.times = times
    self.operations = operations
    self.ttls = ttls
    self.costs = costs
    self.nextUses = nextUses
    self.owner = owner
  }
}
