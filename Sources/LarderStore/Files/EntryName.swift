/// The name of a cell's file: the digest of the cell, the rules, and digits of the content. Two
/// records of one cell that differ have two names, so neither is lost and both are seen.
struct EntryName: Hashable, Sendable {
  let key: String
  let rules: String
  let content: String

  /// A name from its parts.
  init(key: ContentDigest, rules: StoreRules, content: ContentDigest) {
    self.key = key.description
    self.rules = rules.description
    self.content = content.short
  }

  /// Takes the name of a file apart; nil for one that is not of this form.
  init?(parsing name: some StringProtocol) {
    let parts = String(name).split(separator: ".", omittingEmptySubsequences: false)
      .map(String.init)
    guard parts.count == 3, parts[0].utf8.count == 64, parts[2].utf8.count == 16,
      !parts[1].isEmpty, (parts[0] + parts[2]).utf8.allSatisfy(Self.isDigit)
    else { return nil }
    (key, rules, content) = (parts[0], parts[1], parts[2])
  }

  /// The name of the file.
  var text: String { "\(key).\(rules).\(content)" }

  /// The folder that the file is in: a store of a million cells has 256 of some thousands.
  var shard: String { Self.shard(of: key) }

  /// The folder for a key.
  static func shard(of key: String) -> String { String(key.prefix(2)) }

  static func isDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
  }
}
