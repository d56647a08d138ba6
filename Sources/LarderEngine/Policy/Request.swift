/// A request as a policy sees it.
///
/// Fields that a trace does not have hold neutral values, so a policy reads them unconditionally.
/// Fields that a policy does not read cost nothing: the loops are specialised.
public struct Request: Sendable {
  /// The requested object.
  public var id: ObjectID
  /// Size in units of the capacity: 1 when the capacity counts objects, bytes otherwise.
  /// For a hit it is the stored size, for an insert or a replacement the new one.
  public var size: UInt32
  /// Position of this request in the stream that the cache sees, starting at 0.
  public var index: UInt64
  /// Position of the next get that a copy kept from now on could answer, or `Request.never`.
  public var nextUse: UInt32
  /// The expiry of the entry, in microseconds, or `Request.noExpiry`.
  public var expires: UInt64
  /// The cost of fetching the object from the origin, in units of the workload's choice. For a hit
  /// it is the cost of the stored copy's fetch: without a fetch, the current cost is unknown.
  public var cost: Float
  /// A hash of the object's key for sketches: equal for equal keys, regardless of their ids. A real
  /// cache sets it when it stores something; policies that need it later must keep it.
  public var fingerprint: UInt32

  /// `nextUse` of an object that is not requested again.
  @inlinable public static var never: UInt32 { .max }
  /// `expires` of an entry without a TTL.
  @inlinable public static var noExpiry: UInt64 { .max }

  /// Creates a request of an object, with neutral values by default.
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

  /// The fingerprint of an object without a key, as in a simulation, where ids do not change.
  @inlinable @inline(__always) public static func fingerprint(of id: ObjectID) -> UInt32 {
    let product = UInt64(id).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return UInt32(truncatingIfNeeded: product.high ^ product.low)
  }

  /// The value for "no request", for evictions without a request, such as those of a trim.
  @inlinable public static var none: Request { Request(id: .none) }
}

/// A dense object number: 1, 2, 3 ... in order of first appearance.
public typealias ObjectID = UInt32

extension ObjectID {
  /// The id that no object has.
  @inlinable public static var none: ObjectID { 0 }

  /// The largest number of distinct objects: 2^32 - 2.
  @inlinable public static var maximumCount: Int { Int(UInt32.max) - 1 }
}

extension ObjectID {
  /// The id as a 64-bit key: a fixed permutation (the finaliser of MurmurHash3, Appleby 2011),
  /// which spreads keys over all integers like those of an app.
  @inlinable @inline(__always) package var spread: UInt64 {
    var key = UInt64(self)
    key = (key ^ key >> 33) &* 0xFF51_AFD7_ED55_8CCD
    key = (key ^ key >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return key ^ key >> 33
  }

  @inlinable @inline(__always) package init(spread: UInt64) {
    // A shift by half of the bits or more is its own inverse; the factors are inverses.
    var key = (spread ^ spread >> 33) &* 0x9CB4_B2F8_1293_37DB
    key = (key ^ key >> 33) &* 0x4F74_430C_22A5_4005
    self.init(truncatingIfNeeded: key ^ key >> 33)
  }
}

/// The stored size of every resident object, provided to a policy by the cache that owns the sizes.
///
/// A policy that divides its capacity (segments, windows) reads sizes here, so that no size is
/// stored twice and counting objects costs nothing.
public protocol ObjectSizes: BitwiseCopyable {
  /// The stored size of `id`, which must be resident.
  subscript(id: ObjectID) -> UInt32 { get }
}

/// Every object weighs 1: the capacity counts objects.
public struct UnitSizes: ObjectSizes {
  /// Creates a view, which needs no memory.
  @inlinable public init() {}

  /// Always 1.
  @inlinable @inline(__always) public subscript(id: ObjectID) -> UInt32 { 1 }
}

/// Units of capacity.
public enum CapacityUnit: String, Sendable, Hashable, CaseIterable, Codable {
  /// Every object weighs 1.
  case objects
  /// Every object weighs its stored size in bytes.
  case bytes
}

/// Operations of a request.
public enum Operation: UInt8, Sendable, CaseIterable {
  /// Look up; on a miss fetch from the origin and insert. Counts as a request.
  case get = 0
  /// Insert or replace. Neither a hit nor a miss.
  case set = 1
  /// Remove.
  case delete = 2
  /// A change of the object at its origin without notice to the cache: earlier copies are stale.
  case modify = 3
  /// A request whose response must not be stored, such as a POST or a server error: it bypasses the
  /// cache. Counts as a request and a miss; nothing is looked up, stored or removed.
  case bypass = 4
  /// Sets the TTL of a stored object to that of the request from now on, or removes it if that is
  /// 0. Not counted and not a use; does nothing if the object is not stored or has expired.
  case expire = 5
}

/// A prepared trace in the form that the simulation loops read: columns of equal length, read-only.
///
/// Columns that the source does not have are nil. `owner` keeps the memory alive. Ids are between 1
/// and `objects`: the creator of the columns has checked that; the loops do not.
public struct RequestColumns: @unchecked Sendable {
  /// Number of requests.
  public var count: Int
  /// Number of distinct objects; ids run from 1 to this.
  public var objects: Int
  /// The object of each request.
  public var ids: UnsafePointer<ObjectID>
  /// Sizes in bytes.
  public var sizes: UnsafePointer<UInt32>?
  /// Times in microseconds, not decreasing.
  public var times: UnsafePointer<UInt64>?
  /// Raw values of `Operation`.
  public var operations: UnsafePointer<UInt8>?
  /// TTLs in seconds; 0 for none.
  public var ttls: UnsafePointer<UInt32>?
  /// Costs of fetches.
  public var costs: UnsafePointer<Float>?
  /// Index of the next get that a copy kept from this request on could answer, or
  /// `Request.never`.
  public var nextUses: UnsafePointer<UInt32>?
  /// Keeps the memory behind the pointers alive.
  public var owner: AnyObject?

  /// Creates columns over memory that `owner` keeps alive. Counts are not negative, and the number
  /// of objects is at most `ObjectID.maximumCount`.
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
