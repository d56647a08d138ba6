import LarderEngine

/// Entries that are found by name: formats, generators, writers.
public final class Registry<Entry: Sendable>: Sendable {
  package let standard: [Entry]
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
  public var all: [Entry] { standard + added.withLock { $0 } }

  /// Names of all entries.
  public var names: [String] { all.map(name) }

  /// Returns the entry with the name.
  /// - Throws: `ComponentError` with the nearest name if it is unknown. Complexity: O(entries).
  public func entry(named name: String) throws(ComponentError) -> Entry {
    for entry in all where self.name(entry) == name { return entry }
    throw ComponentError(
      component: name, parameter: nil,
      message: "unknown \(kind)\(UnknownName.hint(name, among: names))")
  }

  /// Adds an entry of another package; call it when the program starts, before a trace is read.
  /// - Throws: when the name is taken or invalid: names are lower case, without colons.
  public func add(_ entry: Entry) throws(ComponentError) {
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
