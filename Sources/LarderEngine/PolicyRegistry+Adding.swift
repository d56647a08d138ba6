/// Policies of other packages.
extension PolicyRegistry {
  private static let added = Locked<[RegisteredPolicy]>([])

  /// Every policy: those of this package, then those that were added, in order.
  public static var all: [RegisteredPolicy] { standard + added.withLock { $0 } }

  /// Adds a policy, so that simulations, caches, workload files and reports know its name.
  ///
  /// Add policies when the program starts, before anything is simulated and before a cache is made.
  /// Call it in the module that defines the policy: the loops are specialised there.
  ///
  /// - Throws: `cannotAdd` when the name is taken, or is not made of lower-case letters, digits and
  ///   hyphens.
  @inlinable
  public static func add<Policy: EvictionPolicy & ~Copyable>(
    _ policy: Policy.Type
  ) throws(PolicyError) {
    try add(RegisteredPolicy(policy))
  }

  /// Adds a policy whose type is hidden already. As `add(_:)` with its type.
  ///
  /// - Throws: `cannotAdd`, as `add(_:)` with its type does.
  public static func add(_ policy: RegisteredPolicy) throws(PolicyError) {
    let name = policy.description.name
    for word in [name] + policy.description.parameters.map(\.name) where !isPlain(word) {
      throw .cannotAdd(
        name, reason: "'\(word)' is not made of lower-case letters, digits and hyphens")
    }
    let isNew = added.withLock { added in
      if standardByName[name] != nil || added.contains(where: { $0.description.name == name }) {
        return false
      }
      added.append(policy)
      return true
    }
    if !isNew { throw .cannotAdd(name, reason: "there is a policy of this name already") }
  }

  /// The policy or bound of a name, or nil.
  package static func registered(_ name: String) -> RegisteredPolicy? {
    standardByName[name] ?? added.withLock { $0.first { $0.description.name == name } }
  }

  /// Whether a name can be typed as one: specs end it at a colon, lists at a comma, and hybrids at
  /// a plus sign, and are read in lower case.
  private static func isPlain(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
      }
  }
}
