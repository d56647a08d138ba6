/// A policy of a heap whose priorities stand on a floor that each victim raises to its own: objects
/// age against those that come later. A policy says what the priority of a request is.
public protocol FloorPolicy: HeapPolicy, ~Copyable {
  /// The priority of the last evicted object; the paper's L.
  var floor: Double { get set }
  /// What ties go by.
  var order: OrderCounter { get set }
  /// The priority of an object when it is requested or stored: never negative, so that its bits
  /// order as it does.
  func priority(_ request: Request) -> Double
}

extension FloorPolicy where Self: ~Copyable {
  /// A resident object is requested.
  @inlinable
  @inline(__always)
  public mutating func hit(_ request: Request, _ sizes: some ObjectSizes) {
    heap.update(request.id, key: priority(request).bitPattern, order: order.next())
  }

  /// Gives up one resident object and returns it.
  @inlinable
  @inline(__always)
  public mutating func evict(for request: Request, _ sizes: some ObjectSizes) -> ObjectID {
    let (victim, priority) = heap.popMinimum()
    floor = Double(bitPattern: priority)
    return victim
  }

  /// A missing object is stored.
  @inlinable
  @inline(__always)
  public mutating func insert(_ request: Request, _ sizes: some ObjectSizes) {
    heap.insert(request.id, key: priority(request).bitPattern, order: order.next())
  }
}
