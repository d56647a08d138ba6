import LarderEngine

/// The caches that a workload can name. Adding one is one file and one line here; a program with
/// caches of its own adds them with `add`.
public enum ContenderRegistry {
  private static let standard: [CacheContender] = [
    .larder,
    .foundation,
    .textbookLRU,
    .plainFiles,
    .rawSQLite,
    .process,
  ]

  private static let added = Locked<[CacheContender]>([])

  /// All of them: ours, the baselines, and what was added.
  public static var all: [CacheContender] { standard + added.withLock { $0 } }

  /// Adds a contender, in place of one of the same name that was added before.
  public static func add(_ contender: CacheContender) {
    added.withLock { added in
      added.removeAll { $0.name == contender.name }
      added.append(contender)
    }
  }

  /// The contender of a name, or nil.
  public static func named(_ name: String) -> CacheContender? {
    all.last { $0.name == name }
  }
}
