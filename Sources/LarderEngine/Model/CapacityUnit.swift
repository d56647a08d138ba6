/// What a capacity counts.
public enum CapacityUnit: String, Sendable, Hashable, CaseIterable, Codable {
  /// Every object weighs 1.
  case objects
  /// Every object weighs its stored size in bytes.
  case bytes
}
