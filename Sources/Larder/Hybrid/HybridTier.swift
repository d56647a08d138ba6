/// A tier of a hybrid cache.
public enum HybridTier: String, Sendable, Hashable, Codable, CaseIterable {
  /// In front.
  case memory
  /// Behind memory.
  case disk
}
