import LarderEngine

/// Entries that are found by name: formats, generators, writers.
final class Registry<Entry: Sendable>: Sendable {
  let standard: [Entry]
  private let added = Locked<[Entry]>([])
  /// Kind of entry, for errors: `trace format`.
  private let kind: String
  private let name: @Sendable (Entry) -> String

  init(
    _ kind: String, _ standard: [Entry], name: @escaping @Sendable (Entry) -> String
  ) {
    (self.kind, self.standard, self.name) = (kind, standard, name)
  }

  /// All entries: those of this package, then added ones.
  var all: [Entry] { standard + added.withLock { $0 } }

  var names: [String] { all.map(name) }

  func entry(named name: String) throws(ComponentError) -> Entry {
    for entry in all where self.name(entry) == name { return entry }
    throw ComponentError(
      component: name, parameter: nil,
      message: "unknown \(kind)\(UnknownName.hint(name, among: names))")
  }

  func add(_ entry: Entry) throws(ComponentError) {
    let name = name(entry)
    func wrong(_ message: String) -> ComponentError {
      ComponentError(component: name, parameter: nil, message: message)
    }
    guard !name.isEmpty, !name.contains(":"), name == name.lowercased() else {
      throw wrong("invalid \(kind) name; names are lower case, without colons")
    }
    let isNew = added.withLock { added in
      if (standard + added).contains(where: { self.name($0) == name }) { return false }
      added.append(entry)
      return true
    }
    if !isNew { throw wrong("a \(kind) of this name is already registered") }
  }
}
