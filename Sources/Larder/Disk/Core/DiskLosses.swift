import LarderEngine

/// What was given up and may still be in the database, when that had to be closed or cannot be
/// opened: it must not come back while the cache is open.
struct DiskLosses {
  /// A key that was to be stored over or removed.
  struct Key: Hashable {
    var suite: String
    var bytes: [UInt8]
  }

  /// Entries that were to be removed together.
  struct Clearing: Hashable {
    /// Nil for all suites.
    var suite: String?
    var includesPermanent: Bool
  }

  /// Rows that were to be deleted.
  var rows: Set<ObjectID> = []
  /// Whether no row was to be left.
  var hasAllRows = false
  private(set) var keys: Set<Key> = []
  var clearings: Set<Clearing> = []

  /// Whether there are none.
  var isEmpty: Bool { rows.isEmpty && !hasAllRows && keys.isEmpty && clearings.isEmpty }

  /// Keys that are remembered one by one.
  private static var keysMax: Int { 10_000 }

  /// Notes a key that was to be stored over or removed. Of very many, nothing is left at all.
  mutating func insert(_ bytes: UnsafeRawBufferPointer, suite: String) {
    guard !hasAllRows else { return }
    keys.insert(Key(suite: suite, bytes: Array(bytes)))
    if keys.count > Self.keysMax {
      self = DiskLosses()
      hasAllRows = true
    }
  }
}
