/// Policies that train a model with a library that need not be there.
extension PolicyRegistry {
  /// They are known by name as all others are, but stand in no list of all policies: neither
  /// reports nor advice nor `--policy all` take them unasked. Without a library
  /// (`GradientBoosting.provide`) they cannot be made.
  public static let learned: [RegisteredPolicy] = [
    RegisteredPolicy(LRB.self),
    RegisteredPolicy(ThreeLCache.self),
  ]
}
