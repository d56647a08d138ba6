/// What `PolicyRegistry.learned` is part of.
extension PolicyRegistry {
  /// Everything that has a name: all policies, the learned ones, and the bounds.
  package static var everything: [RegisteredPolicy] { all + learned + bounds }

  /// Whether a policy trains models; false where there is no such policy.
  package static func isLearned(_ name: String) -> Bool {
    registered(name)?.description.needs.contains(.boosting) ?? false
  }
}
