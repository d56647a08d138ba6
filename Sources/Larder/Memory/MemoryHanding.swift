/// What a memory cache hands over with its value.
@frozen
@usableFromInline
enum MemoryHanding: UInt8 {
  /// Nothing.
  case none
  /// What gets and sets evict for want of room.
  case evictions
  /// All that leaves, and what is refused.
  case all
}
