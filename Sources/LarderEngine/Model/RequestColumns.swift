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
