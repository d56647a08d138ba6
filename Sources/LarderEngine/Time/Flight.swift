/// A fetch from the origin, or a read from disk, in flight.
@usableFromInline
struct Flight: BitwiseCopyable {
  /// When it ends.
  @usableFromInline var completion: UInt64
  /// Its number among all flights: of those that end at the same time, the first begun comes first.
  @usableFromInline var order: UInt64
  /// The place of the request that began it.
  @usableFromInline var index: UInt64
  @usableFromInline var id: ObjectID
  /// Whether what it brings may be stored: fetched for a request that may be answered by a cache.
  @usableFromInline var stores: Bool
  /// Whether it is a read from disk.
  @usableFromInline var isRead: Bool

  @inlinable
  init(
    completion: UInt64, order: UInt64, index: UInt64, id: ObjectID, stores: Bool, isRead: Bool
  ) {
    self.completion = completion
    self.order = order
    self.index = index
    self.id = id
    self.stores = stores
    self.isRead = isRead
  }

  /// Whether it ends before the other.
  @inlinable
  @inline(__always)
  func ends(before other: Flight) -> Bool {
    completion == other.completion ? order < other.order : completion < other.completion
  }
}
