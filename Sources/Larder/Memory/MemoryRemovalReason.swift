/// Why a value is not, or no longer, in a memory cache.
public enum MemoryRemovalReason: String, Sendable, Hashable, Codable, CaseIterable {
  /// Given up for want of room, to a trim or to memory pressure.
  case evicted
  /// A get or a sweep found that it had expired.
  case expired
  /// Another value was set under its key, or one that was refused.
  case replaced
  /// Removed by key or by `removeAll`.
  case removed
  /// Never stored: too large, not wanted by the policy or filter, or set with no time to live.
  case refused
}
