import LarderEngine
import Yams

/// A map in a YAML document, checked against the keys it may have.
struct YAMLMap {
  /// The map as a value, for errors about it.
  let value: YAMLValue
  /// Its entries in the order of the file.
  let entries: [Entry]

  /// A key with its value.
  struct Entry {
    /// The key.
    let key: String
    /// Line of the key.
    let line: Int?
    /// The value.
    let value: YAMLValue
  }

  /// Reads a map without checking its keys.
  ///
  /// - Throws: `WorkloadError` when the value is no map, or a key is no text.
  init(_ value: YAMLValue, expected: String) throws(WorkloadError) {
    guard case .mapping(let mapping) = value.node else { throw value.unexpected(expected) }
    var entries: [Entry] = []
    for (keyNode, node) in mapping {
      try value.document.visit(at: keyNode.mark?.line)
      guard case .scalar(let key) = keyNode else {
        let found = YAMLValue(node: keyNode, path: value.path, document: value.document)
        throw found.unexpected("a key")
      }
      let shown = YAMLValue.shortened(key.string)
      let path = value.path.isEmpty ? shown : "\(value.path).\(shown)"
      let child = YAMLValue(node: node, path: path, document: value.document)
      entries.append(Entry(key: key.string, line: keyNode.mark?.line, value: child))
    }
    self.value = value
    self.entries = entries
  }

  /// Refuses keys that the table does not have, unless they may be parameters of a component, and
  /// keys that exclude each other; misses the keys it requires.
  func check(_ table: KeyTable) throws(WorkloadError) {
    if table.components == nil {
      for entry in entries where !table.names.contains(entry.key) {
        let absent = table.names.filter { self[$0] == nil }
        throw error(
          at: entry.line,
          .unknownKey(
            YAMLValue.shortened(entry.key), nearest: entry.key.nearest(among: absent),
            known: table.names))
      }
    }
    for key in table.keys where key.isRequired { _ = try required(key.name, in: table) }
    try refusePairs(of: table.exclusive)
  }

  /// Refuses two of the keys together.
  func refusePairs(of keys: [String]) throws(WorkloadError) {
    let given = keys.filter { self[$0] != nil }
    guard given.count > 1 else { return }
    throw error(
      at: given[1], .refused("'\(given[0])' and '\(given[1])' exclude each other; keep one"))
  }

  /// The value of a key, if it is there.
  subscript(key: String) -> YAMLValue? { entries.first { $0.key == key }?.value }

  /// Line of a key, if it is there.
  func line(of key: String) -> Int? { entries.first { $0.key == key }?.line }

  /// The value of a key that must be there.
  func required(_ key: String, in table: KeyTable) throws(WorkloadError) -> YAMLValue {
    if let value = self[key] { return value }
    let others = entries.map(\.key).filter { !table.names.contains($0) }
    throw missing(key, misspelt: key.nearest(among: others).map(YAMLValue.shortened))
  }

  /// The error that a key is missing.
  func missing(
    _ key: String, because reason: String? = nil, misspelt: String? = nil
  ) -> WorkloadError {
    error(at: value.line, .missingKey(key, reason: reason, misspelt: misspelt))
  }

  /// An error about the map, at one of its lines.
  func error(at line: Int?, _ problem: WorkloadError.Problem) -> WorkloadError {
    value.document.error(line, problem, path: value.path)
  }

  /// An error about the map, at the line of one of its keys.
  func error(at key: String, _ problem: WorkloadError.Problem) -> WorkloadError {
    error(at: line(of: key), problem)
  }
}
