/// What a workload runs: the key `mode`.
public enum RunMode: String, Sendable, Hashable, Codable, CaseIterable {
  /// Policies only, no keys and no values.
  case simulate
  /// Real caches.
  case execute
}
