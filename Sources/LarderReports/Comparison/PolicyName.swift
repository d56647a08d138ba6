import LarderEngine

/// A policy's name taken apart as far as a report must understand it: `lru`, `s3-fifo:small=0.2`,
/// or for a hybrid `lru+fifo`.
struct PolicyName: Hashable {
  /// The name as the results have it.
  let text: String
  /// The names without parameters, one a tier.
  let bases: [String]

  /// Takes `text` apart.
  init(_ text: String) {
    self.text = text
    bases = text.split(separator: "+", omittingEmptySubsequences: false).map { part in
      String(part.prefix { $0 != ":" })
    }
  }

  /// True when a tier looks into the future, so that no real cache can do the same.
  var isOffline: Bool { bases.contains { PolicyRegistry.needsFuture(named: $0) } }

  /// The policies and bounds of this package that know the future.
  static let offline = (PolicyRegistry.standard + PolicyRegistry.bounds).map(\.description.name)
    .filter { PolicyRegistry.needsFuture(named: $0) }

  /// True for what no cache can exceed, whatever it knows.
  var isUpperBound: Bool { text == "pfoo-u" }

  /// True when every tier is Belady's rule.
  var isBelady: Bool { bases.allSatisfy { $0 == "belady" } }

  /// True when parameters were given.
  var hasParameters: Bool { text.contains(":") }

  /// True when this is what people use without thinking: LRU or FIFO in every tier, or the classic
  /// LRU in memory before FIFO on disk.
  var isBaseline: Bool {
    guard !hasParameters else { return false }
    return bases.allSatisfy { $0 == "lru" } || bases.allSatisfy { $0 == "fifo" }
      || bases == ["lru", "fifo"]
  }
}
