/// Something that happened in a hybrid cache.
public struct HybridEvent: Sendable {
  /// What can happen.
  public enum Kind: Sendable {
    /// A get was answered by the tier.
    case hit
    /// Neither tier had it.
    case miss
    /// The tier stored a value, or put it in another's place.
    case set
    /// The tier refused a value: too large, or not wanted by its policy.
    case reject
    /// The tier removed a value because somebody asked for it.
    case remove
    /// The tier had to give a value up.
    case evict(EvictionReason)
    /// The tier removed a value because it had expired.
    case expire
    /// A value on disk was copied to memory, or moved there.
    case promote
    /// A value that memory evicted was moved to disk.
    case demote
    /// The origin gave a value.
    case fetch(isBackground: Bool)
    /// The origin said that the stored value still holds.
    case notModified(isBackground: Bool)
    /// The origin has no such value.
    case absent(isBackground: Bool)
    /// The origin failed.
    case fetchFailure(any Error, isBackground: Bool)
    /// An old value stood in for an origin that failed.
    case staleAnswer
    /// An expired value was the answer of `cacheThenFetch`, and is being refreshed.
    case staleHit
    /// So many events before this one were lost, because listeners were slower than the cache.
    case dropped(UInt64)
    /// The tier failed, or a value could not be encoded, where nobody could be told by an error.
    case failure(HybridCacheError)
  }

  /// What happened.
  public var kind: Kind
  /// To which key, as its `diskKey`; nil where it was not one key's.
  public var key: String?
  /// In which tier; nil where it was neither's.
  public var tier: HybridTier?
  /// True if a handler of events has caused it, which handlers are not told of.
  var isOfHandler = false

  /// An event, as for a test of a listener.
  public init(_ kind: Kind, key: String? = nil, tier: HybridTier? = nil) {
    self.kind = kind
    self.key = key
    self.tier = tier
  }

  /// What a tier tells of itself as a hybrid tells it; nil for what the hybrid tells better.
  init?(_ kind: CacheEventKind, key: String, tier: HybridTier) {
    switch kind {
    case .set: self.kind = .set
    case .reject: self.kind = .reject
    case .remove: self.kind = .remove
    case .evict(let reason): self.kind = .evict(reason)
    case .expire: self.kind = .expire
    case .hit, .miss: return nil
    }
    self.key = key
    self.tier = tier
  }
}
