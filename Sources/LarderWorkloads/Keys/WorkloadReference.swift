/// The tables of keys in docs/workloads.md, made from the tables of the decoder.
package struct WorkloadReference {
  private let tables: [KeyTable]

  /// The reference of the tables.
  package init(tables: [KeyTable] = WorkloadKeys.all) { self.tables = tables }

  /// The page with its tables as they must be, and the names of tables that it does not have.
  ///
  /// A table is between the lines `<!-- begin NAME: made from the table of keys -->` and
  /// `<!-- end NAME -->`; several names, separated by spaces, make one table in which a key that
  /// they share is listed once.
  package func updated(_ page: String) -> (page: String, missing: [String]) {
    var missing = tables.map(\.name)
    var lines: [Substring] = []
    var isInTable = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("<!-- end ") { isInTable = false }
      if !isInTable { lines.append(line) }
      guard line.hasPrefix(Self.begin), line.hasSuffix(Self.origin) else { continue }
      let names = line.dropFirst(Self.begin.count).dropLast(Self.origin.count)
        .split(separator: " ").map(String.init)
      missing.removeAll { names.contains($0) }
      lines += Self.rows(of: tables.filter { names.contains($0.name) })
      isInTable = true
    }
    return (lines.joined(separator: "\n"), missing)
  }

  private static let begin = "<!-- begin "
  private static let origin = ": made from the table of keys -->"

  private static func rows(of tables: [KeyTable]) -> [Substring] {
    var keys: [KeyTable.Key] = []
    for key in tables.flatMap(\.keys) where !keys.contains(where: { $0.name == key.name }) {
      keys.append(key)
    }
    return ["| key | meaning | default | example |", "|---|---|---|---|"]
      + keys.map { key in
        "| `\(key.name)` | \(key.meaning) | \(key.defaultText) | `\(key.name): \(key.example)` |"
      }
  }
}
