/// Something that happened to one key of a cache.
public struct CacheEvent<Key: Sendable>: Sendable {
  /// What happened.
  public var kind: CacheEventKind
  /// To which key.
  public var key: Key

  /// An event; see the properties.
  public init(_ kind: CacheEventKind, _ key: Key) {
    self.kind = kind
    self.key = key
  }
}

extension CacheEvent: Equatable where Key: Equatable {}

/// What can happen to a key of a cache.
public enum CacheEventKind: Sendable, Hashable {
  /// A value was stored, or took another's place.
  case set
  /// A value was refused: too large, or not wanted by the policy.
  case reject
  /// A get was answered.
  case hit
  /// A get was not answered.
  case miss
  /// A value was removed because somebody asked for it, by key or all of them.
  case remove
  /// A value had to go: the policy chose it.
  case evict(EvictionReason)
  /// A value had lived for as long as it was meant to.
  case expire
}

/// Why a value had to go though nobody asked for it by key.
public enum EvictionReason: Sendable, Hashable, CaseIterable {
  /// There was no room for another.
  case capacity
  /// Somebody trimmed the cache.
  case trim
  /// The system was short of memory.
  case pressure
  /// The disk was nearly full.
  case freeSpace
  /// The value was damaged, or could not be written.
  case failure
}
