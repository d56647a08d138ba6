/// The names of layouts.
package enum FlashLayoutWord: String, Sendable, Hashable, CaseIterable {
  /// Regions in turn.
  case log
  /// Buckets.
  case sets
  /// A log in front of buckets.
  case kangaroo
}
