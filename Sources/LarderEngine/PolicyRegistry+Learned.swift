/// Policies that train a model with a library that need not be there.
extension PolicyRegistry {
  /// They are known by name as all others are, but stand in no list of all policies: neither
  /// reports nor advice nor `--policy all` take them unasked. Without a library
  /// (`GradientBoosting.provide`) they cannot be made.
  public static let learned: [RegisteredPolicy] = [
    RegisteredPolicy(LRB.self),
    RegisteredPolicy(ThreeLCache.self),
  ]

  /// Everything that has a name: all policies, the learned ones, and the bounds.
  package static var everything: [RegisteredPolicy] { all + learned + bounds }

  /// Whether a policy trains models; false where there is no such policy.
  package static func isLearned(_ name: String) -> Bool {
    registered(name)?.description.needs.contains(.boosting) ?? false
  }
}
