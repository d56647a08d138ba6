/// All policies, by name. Adding one is a file in `Policies/` and a line in `all`.
public enum PolicyRegistry {
  /// Every policy, in the order in which lists show them.
  public static let all: [RegisteredPolicy] = []
}
