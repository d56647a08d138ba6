/// The keys of the first lines of a log in JSON lines, with their values.
struct JSONKeys: Sendable {
  /// A key, with dots into inner objects.
  struct Key: Sendable {
    let name: String
    /// The name as names are compared.
    let folded: String
    /// Lines that have it.
    var count = 0
    /// Its values, those that say nothing left out.
    var values: [[UInt8]] = []

    /// How many of the values `test` is true for.
    func count(where test: (TextField) -> Bool) -> Int {
      values.count { $0.withField(test) }
    }
  }

  /// The keys in order of first appearance.
  let all: [Key]
  /// Lines that are JSON objects.
  let objects: Int
  /// All lines.
  let lines: Int
  private let byFolded: [String: [Int]]

  /// The keys of lines.
  init(_ lines: [ArraySlice<UInt8>]) {
    var all: [Key] = []
    var places: [String: Int] = [:]
    var objects = 0
    let scanner = JSONLineScanner([])
    for line in lines {
      let isObject = Array(line).withField { line in
        scanner.forEachValue(in: line) { name, value in
          let place = places[name] ?? all.count
          if place == all.count {
            places[name] = place
            all.append(Key(name: name, folded: JSONNameTree.folded(name)))
          }
          all[place].count += 1
          guard !value.isNothing else { return }
          let bytes = UnsafeBufferPointer(start: value.next, count: value.count)
          all[place].values.append(Array(bytes))
        }
      }
      if isObject { objects += 1 }
    }
    self.all = all
    self.objects = objects
    self.lines = lines.count
    byFolded = Dictionary(grouping: all.indices) { all[$0].folded }
  }

  /// The keys whose names are `name` but for case, `-` and `_`.
  func keys(named name: String) -> [Key] {
    (byFolded[JSONNameTree.folded(name)] ?? []).map { all[$0] }
  }

  /// The key of exactly this name, or else of this name but for case, `-` and `_`.
  func key(_ name: String) -> Key? {
    let keys = keys(named: name)
    return keys.first { $0.name == name } ?? keys.first
  }

  /// The objects within the outermost one, in order of first appearance.
  var prefixes: [String] {
    var found: [String] = []
    for key in all {
      let parts = key.name.split(separator: ".").dropLast()
      for count in 0..<min(3, parts.count) {
        let prefix = parts.prefix(count + 1).joined(separator: ".") + "."
        if !found.contains(prefix) { found.append(prefix) }
      }
      if found.count > 50 { break }
    }
    return found
  }

  /// Names for a message, up to `limit` of them.
  static func list(_ names: [String], limit: Int = 20) -> String {
    let shown = names.prefix(limit).map { name in
      let bytes = Array(name.utf8.prefix(60))
      return String(TextField.quote(bytes).dropFirst().dropLast())
    }
    let rest = names.count - shown.count
    return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
