import LarderEngine

/// The operations that the words of a column stand for.
struct CsvOperations: Sendable {
  /// What a word stands for.
  enum Meaning: Sendable {
    case operation(Operation)
    /// Lines with it are left out.
    case leftOut
  }

  /// Where the words come from.
  enum Source: Sendable {
    /// The words that are known, with letters for reads and writes of blocks.
    case words
    /// The same, and 0, 1 and 2 for get, set and delete.
    case numbers
    /// The option `ops`.
    case given
  }

  let source: Source
  private let meanings: [String: Meaning]

  private static let known: [String: Meaning] = {
    let words: [(Operation, String)] = [
      (.get, "get gets mget gat gats get_lease read head fetch lookup getobject get_object"),
      (.get, "headobject head_object rest.get.object rest.head.object"),
      (.set, "set add put cas replace append prepend incr decr write store insert set_lease"),
      (.set, "update putobject put_object rest.put.object rest.copy.object"),
      (.delete, "delete del remove unlink invalidate purge deleteobject delete_object"),
      (.delete, "rest.delete.object"), (.modify, "modify"), (.bypass, "bypass"),
      (.expire, "expire"),
      // Requests for blocks of a device: both are accesses.
      (.get, "r w"),
    ]
    var known: [String: Meaning] = [:]
    for (operation, names) in words {
      for name in names.split(separator: " ") { known[String(name)] = .operation(operation) }
    }
    return known
  }()

  private static let numbers: [String: Meaning] = [
    "0": .operation(.get), "1": .operation(.set), "2": .operation(.delete),
  ]

  /// Methods of HTTP that are no operations of a cache, beside which others are known.
  private static let methods: Set = ["post", "patch", "options", "connect", "trace", "propfind"]

  /// The words that are known.
  init(_ source: Source) {
    self.source = source
    meanings =
      source == .numbers
      ? Self.known.merging(Self.numbers) { word, _ in word } : Self.known
  }

  /// The words of the option `ops`, `word:operation:word:operation`, before those that are known;
  /// nil where it was not given.
  init?(_ options: FormatOptions) throws(ComponentError) {
    guard let text = options.text("ops") else { return nil }
    let parts = text.split(omittingEmptySubsequences: false) { ":,=".contains($0) }.map {
      $0.lowercased()
    }
    func wrong() -> ComponentError {
      options.wrong(
        "ops",
        expected:
          "words and operations (get, set, delete, modify, bypass, expire, skip), as 1:get:0:set")
    }
    guard parts.count.isMultiple(of: 2), !parts.isEmpty else { throw wrong() }
    var given: [String: Meaning] = [:]
    for place in stride(from: 0, to: parts.count, by: 2) {
      guard !parts[place].isEmpty, given[parts[place]] == nil,
        let meaning = Self.meaning(parts[place + 1])
      else { throw wrong() }
      given[parts[place]] = meaning
    }
    source = .given
    meanings = Self.known.merging(given) { _, word in word }
  }

  private static func meaning(_ word: String) -> Meaning? {
    switch word {
    case "get", "read": .operation(.get)
    case "set", "write": .operation(.set)
    case "delete": .operation(.delete)
    case "modify": .operation(.modify)
    case "bypass": .operation(.bypass)
    case "expire": .operation(.expire)
    case "skip": .leftOut
    default: nil
    }
  }

  /// What a word of any case stands for; nil for one that is not known.
  func meaning(of word: String) -> Meaning? { meanings[word.lowercased()] }

  /// The first of `values` that is neither known nor a method of HTTP; nil where there is none.
  func firstUnknown(_ values: [String]) -> String? {
    values.first { meaning(of: $0) == nil && !Self.methods.contains($0.lowercased()) }
  }
}

/// Looks operations up without a text for each line.
struct CsvOperationLookup {
  private let operations: CsvOperations
  /// Words seen so far, by their hashes.
  private var seen: [(hash: UInt64, meaning: CsvOperations.Meaning)] = []
  private static let seenMaximum = 32

  init(_ operations: CsvOperations) { self.operations = operations }

  /// What a field stands for; nil for one that is not known.
  @inline(__always)
  mutating func meaning(_ field: TextField) -> CsvOperations.Meaning? {
    let hash = KeyHash.hash(UnsafeBufferPointer(start: field.next, count: field.count))
    for word in seen where word.hash == hash { return word.meaning }
    return lookUp(field, hash)
  }

  @inline(never)
  private mutating func lookUp(_ field: TextField, _ hash: UInt64) -> CsvOperations.Meaning? {
    guard let meaning = operations.meaning(of: field.text) else { return nil }
    if seen.count < Self.seenMaximum { seen.append((hash, meaning)) }
    return meaning
  }
}
