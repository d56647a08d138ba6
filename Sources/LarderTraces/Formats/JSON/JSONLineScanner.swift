import LarderEngine

/// Header of a table, whose columns are the keys of its lines.
struct WebTable: Sendable, Equatable {
  let line: [UInt8]
  let delimiter: UInt8
  let names: [[UInt8]]

  /// The header of a table with a usual delimiter and only names in its first line.
  init?(_ lines: [ArraySlice<UInt8>]) {
    guard let first = lines.first, lines.count > 1, first.first != 0x7B, first.first != 0x23,
      let delimiter = [0x09, 0x2C, 0x3B, 0x7C].max(by: { one, other in
        first.count { $0 == one } < first.count { $0 == other }
      }), first.contains(delimiter) || lines[1].first == 0x22
    else { return nil }
    (line, self.delimiter) = (Array(first), first.contains(delimiter) ? delimiter : 0x2C)
    var names: [[UInt8]] = []
    line.withTextField { text in
      var splitter = CsvSplitter(text, delimiter: delimiter)
      while let name = splitter.next() { names.append(Array(name.text.utf8)) }
    }
    self.names = names
    let isName = { (name: [UInt8]) in
      name.count <= 60 && name.first.map { $0 | 0x20 > 0x60 || $0 == 0x40 || $0 == 0x5F } ?? true
    }
    guard names.allSatisfy(isName), Set(names).count == names.count else { return nil }
  }
}

/// Finds a few values in a line that is a JSON object, logfmt or a row of a table, without building
/// anything: numbers and words are not checked, and other objects are skipped. A key with dots is
/// equivalent to the inner objects that it names. The prefix of a logger is skipped; its date is
/// the value of `prefix`.
final class JSONLineScanner {
  static let depthMaximum = 8

  static let prefix = "prefix"

  private let names: JSONNameTree
  private let table: WebTable?
  /// Nodes of the table's columns.
  private let columns: [Int]
  private let prefixNode: Int
  private let values: UnsafeMutablePointer<TextField>
  private(set) var found: [Int] = []
  /// Receives the dotted name and text of every value that is not an object.
  private var visitor: ((String, TextField) -> Void)?
  private var scratch: UnsafeMutablePointer<UInt8>
  private var scratchCapacity = 4096
  private var scratchCount = 0
  private let nothing: UnsafeMutablePointer<UInt8>

  /// A scanner for names with dots into inner objects; `isExact` false ignores case and signs.
  init(_ names: [String], isExact: Bool = true, table: WebTable? = nil) {
    let tree = JSONNameTree(names, isExact: isExact)
    (self.names, self.table) = (tree, table)
    let node = { (name: [UInt8]) in
      name.withTextField { tree.find($0, below: JSONNameTree.root) }
    }
    columns = table?.names.map(node) ?? []
    prefixNode = node(Array(Self.prefix.utf8))
    scratch = .allocate(capacity: scratchCapacity)
    nothing = .allocate(capacity: 1)
    nothing.initialize(to: 0)
    values = .allocate(capacity: names.count + 1)
    values.initialize(repeating: TextField(nothing, nothing), count: names.count + 1)
    found.reserveCapacity(64)
  }

  deinit {
    scratch.deallocate()
    nothing.deallocate()
    values.deallocate()
  }

  /// Value of a name in the last line: a string without quotes and escapes, a number or word as
  /// written, or the first element of an array; empty if missing or null.
  @inline(__always) func value(_ index: Int) -> TextField { values[index] }

  /// The object at the end of a line, after blanks and any prefix; nil without one.
  @inline(__always) static func object(in line: TextField) -> TextField? {
    let line = line.trimmed
    if line.isEmpty || line.next.pointee == 0x7B { return line.isEmpty ? nil : line }
    guard line.end[-1] == 0x7D else { return nil }
    var rest = line
    while let brace = rest.find(0x7B) {
      rest = TextField(brace + 1, line.end)
      rest.skipBlanks()
      // `null{` is damage, and no prefix.
      let isApart = brace[-1] < 0x30 || [0x3A, 0x5D, 0x7C].contains(brace[-1]) || brace[-1] >= 0x80
      if rest.next.pointee == 0x22, isApart { return TextField(brace, line.end) }
    }
    return nil
  }

  /// Date with a time in the text before an object or logfmt.
  private static func date(in prefix: TextField) -> TextField? {
    var rest = prefix
    for _ in 0..<6 {
      var word = rest.takeField()
      if word.isEmpty { return nil }
      if word.next.pointee == 0x5B { word.skip() }
      guard word.count >= 10, word.next[4] == 0x2D || word.next[4] == 0x2F else { continue }
      // A date and a time in two words.
      let end = word.count == 10 ? rest.takeField().end : word.end
      let date = TextField(word.next, [0x5D, 0x2C].contains(end[-1]) ? end - 1 : end)
      if LogTime.microseconds(date) != nil { return date }
    }
    return nil
  }

  private func storePrefix(_ prefix: TextField, _ name: String?) {
    guard !prefix.isEmpty, name != nil || prefixNode >= 0, let date = Self.date(in: prefix)
    else { return }
    Array(Self.prefix.utf8).withTextField { store(date, prefixNode, name ?? "", $0) }
  }

  /// Scans a line; false if it is neither exactly one object, nor logfmt, nor a row of the table.
  func scan(_ line: TextField) -> Bool {
    for index in found { values[index] = TextField(nothing, nothing) }
    found.removeAll(keepingCapacity: true)
    scratchCount = 0
    if line.count > scratchCapacity {
      scratch.deallocate()
      scratchCapacity = line.count * 2
      scratch = .allocate(capacity: scratchCapacity)
    }
    let name = visitor == nil ? nil : ""
    if let table { return row(line, table, name) }
    guard var rest = JSONLineScanner.object(in: line) else { return pairs(line.trimmed, name) }
    storePrefix(TextField(line.next, rest.next), name)
    guard object(&rest, depth: 0, below: JSONNameTree.root, name) else { return false }
    return rest.trimmed.isEmpty
  }

  /// Calls `body` with the dotted name and text of every value that is not an object.
  func forEachValue(in line: TextField, _ body: @escaping (String, TextField) -> Void) -> Bool {
    visitor = body
    defer { visitor = nil }
    return scan(line)
  }

  private func row(_ line: TextField, _ table: WebTable, _ name: String?) -> Bool {
    var splitter = CsvSplitter(line, delimiter: table.delimiter)
    var count = 0
    while let field = splitter.next() {
      guard count < table.names.count else { return false }
      if name != nil || columns[count] >= 0, !field.isEmpty {
        table.names[count].withTextField {
          store(withoutDoubledQuotes(field), columns[count], name ?? "", $0)
        }
      }
      count += 1
    }
    return count == table.names.count && !splitter.isMalformed
  }

  private func withoutDoubledQuotes(_ field: TextField) -> TextField {
    guard field.find([0x22, 0x22]) != nil else { return field }
    let start = scratch + scratchCount
    var rest = field
    while let byte = rest.takeByte() {
      scratch[scratchCount] = byte
      scratchCount += 1
      if byte == 0x22, !rest.isEmpty, rest.next.pointee == 0x22 { rest.skip() }
    }
    return TextField(start, scratch + scratchCount)
  }

  /// True for `key=`, of letters, digits, dots and the like.
  private static func isPair(_ word: TextField) -> Bool {
    guard let equals = word.find(0x3D), equals > word.next else { return false }
    return TextField(word.next, equals).allBytes { byte in
      (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 <= 9 || [0x2E, 0x2D, 0x5F, 0x40].contains(byte)
    }
  }

  /// Reads logfmt: `time="2026-03-01T10:00:00Z" status=200`, at least two pairs, after a prefix.
  private func pairs(_ line: TextField, _ name: String?) -> Bool {
    var rest = line
    var word = rest.takeField()
    while !word.isEmpty, !Self.isPair(word) { word = rest.takeField() }
    rest = TextField(word.next, line.end)
    storePrefix(TextField(line.next, word.next), name)
    var count = 0
    while !rest.isEmpty {
      let start = rest.next
      while !rest.isEmpty, rest.next.pointee > 0x22, rest.next.pointee != 0x3D { rest.skip() }
      let key = TextField(start, rest.next)
      guard !key.isEmpty, rest.takeByte() == 0x3D else { return false }
      var value = rest.takeField()
      if !value.isEmpty, value.next.pointee == 0x22 {
        rest = TextField(value.next, line.end)
        guard let text = string(&rest) else { return false }
        value = unescaped(text)
      }
      store(value, name == nil ? names.find(key, below: JSONNameTree.root) : -1, name ?? "", key)
      rest.skipBlanks()
      count += 1
    }
    return count > 1
  }

  /// Reads an object whose keys below `node` are wanted, or all of them if it has a name.
  private func object(
    _ rest: inout TextField, depth: Int, below node: Int, _ name: String?
  ) -> Bool {
    guard take(0x7B, &rest) else { return false }
    if take(0x7D, &rest) { return true }
    repeat {
      skipSpace(&rest)
      guard let key = string(&rest), take(0x3A, &rest) else { return false }
      skipSpace(&rest)
      guard !rest.isEmpty else { return false }
      let child = name == nil ? names.find(key, below: node) : JSONNameTree.root
      if child < 0 {
        guard skip(&rest) else { return false }
      } else if rest.next.pointee == 0x7B {
        let isWanted = depth < Self.depthMaximum && (name != nil || names.hasChildren(child))
        let inner = name.map { $0.isEmpty ? key.text : "\($0).\(key.text)" }
        guard isWanted ? object(&rest, depth: depth + 1, below: child, inner) : skip(&rest) else {
          return false
        }
      } else {
        guard let text = scalar(&rest) else { return false }
        store(text, child, name ?? "", key)
      }
    } while take(0x2C, &rest)
    return take(0x7D, &rest)
  }

  @inline(__always) private func store(
    _ text: TextField, _ node: Int, _ name: String, _ key: TextField
  ) {
    if let visitor {
      visitor(name.isEmpty ? key.text : "\(name).\(key.text)", text)
    } else if node >= 0, names.index(of: node) >= 0 {
      values[names.index(of: node)] = text
      found.append(names.index(of: node))
    }
  }

  private func scalar(_ rest: inout TextField) -> TextField? {
    let start = rest
    guard skip(&rest) else { return nil }
    var text = TextField(start.next, rest.next)
    if text.next.pointee == 0x5B {
      text.skip()
      skipSpace(&text)
      let element = text
      guard !text.isEmpty, text.next.pointee != 0x5D, skip(&text) else {
        return TextField(nothing, nothing)
      }
      text = TextField(element.next, text.next)
    }
    switch text.next.pointee {
    case 0x22: return string(&text).map(unescaped)
    case 0x7B, 0x5B: return TextField(nothing, nothing)
    default: return text.equals(JSONLineScanner.null) ? TextField(nothing, nothing) : text
    }
  }

  private static let null = Array("null".utf8)

  @inline(__always) private func string(_ rest: inout TextField) -> TextField? {
    guard !rest.isEmpty, rest.next.pointee == 0x22 else { return nil }
    rest.skip()
    let start = rest.next
    while !rest.isEmpty {
      let byte = rest.next.pointee
      if byte == 0x22 {
        defer { rest.skip() }
        return TextField(start, rest.next)
      }
      rest.skip()
      if byte == 0x5C {
        if rest.isEmpty { return nil }
        rest.skip()
      }
    }
    return nil
  }

  private func skip(_ rest: inout TextField) -> Bool {
    guard !rest.isEmpty else { return false }
    let first = rest.next.pointee
    if first == 0x22 { return string(&rest) != nil }
    guard first == 0x7B || first == 0x5B else {
      let start = rest.next
      while !rest.isEmpty {
        let byte = rest.next.pointee
        if byte == 0x2C || byte == 0x7D || byte == 0x5D || byte == 0x20 || byte == 0x09 { break }
        rest.skip()
      }
      return rest.next > start
    }
    var depth = 0
    while !rest.isEmpty {
      switch rest.next.pointee {
      case 0x22:
        guard string(&rest) != nil else { return false }
        continue
      case 0x7B, 0x5B: depth += 1
      case 0x7D, 0x5D: depth -= 1
      default: break
      }
      rest.skip()
      if depth == 0 { return true }
    }
    return false
  }

  private func unescaped(_ string: TextField) -> TextField {
    guard string.find(0x5C) != nil else { return string }
    let start = scratch + scratchCount
    var end = start
    var rest = string
    while let byte = rest.takeByte() {
      guard byte == 0x5C, let letter = rest.takeByte() else {
        end.pointee = byte
        end += 1
        continue
      }
      switch letter {
      case 0x6E: end.pointee = 0x0A
      case 0x74: end.pointee = 0x09
      case 0x72: end.pointee = 0x0D
      case 0x62: end.pointee = 0x08
      case 0x66: end.pointee = 0x0C
      case 0x75:
        end = JSONLineScanner.append(&rest, to: end)
        continue
      default: end.pointee = letter
      }
      end += 1
    }
    scratchCount += end - start
    return TextField(start, end)
  }

  /// Appends the character of `\u0026` in UTF-8: at most three bytes for six, or four for twelve.
  private static func append(
    _ rest: inout TextField, to end: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    var code = hex(&rest)
    if (0xD800..<0xDC00).contains(code), rest.starts(with: [0x5C, 0x75]) {
      rest.skip()
      rest.skip()
      let low = hex(&rest)
      code = 0x10000 + (code - 0xD800) << 10 + (low & 0x3FF)
    }
    var end = end
    for byte in String(Unicode.Scalar(code) ?? "\u{FFFD}").utf8 {
      end.pointee = byte
      end += 1
    }
    return end
  }

  private static func hex(_ rest: inout TextField) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard !rest.isEmpty else { break }
      let byte = rest.next.pointee
      let letter = (byte | 0x20) &- 0x61
      let digit = byte &- 0x30 <= 9 ? byte &- 0x30 : letter < 6 ? letter + 10 : 255
      if digit == 255 { break }
      value = value << 4 | UInt32(digit)
      rest.skip()
    }
    return value
  }

  @inline(__always) private func take(_ byte: UInt8, _ rest: inout TextField) -> Bool {
    skipSpace(&rest)
    guard !rest.isEmpty, rest.next.pointee == byte else { return false }
    rest.skip()
    return true
  }

  @inline(__always) private func skipSpace(_ rest: inout TextField) {
    while !rest.isEmpty, rest.next.pointee == 0x20 || rest.next.pointee == 0x09 { rest.skip() }
  }
}

/// Wanted JSON keys by nesting level: one look-up per key of a line, however many are wanted.
final class JSONNameTree {
  static let root = 0

  private let isExact: Bool
  /// Hashes of node and key, with the child; an open-addressing table. 0 is free.
  private let hashes: UnsafeMutableBufferPointer<UInt64>
  private let children: UnsafeMutableBufferPointer<Int>
  /// Index of the name that ends at a node; -1 without one.
  private var indices = [-1]
  private var parents = [false]

  init(_ names: [String], isExact: Bool) {
    self.isExact = isExact
    let paths = names.map { $0.split(separator: ".").map { Array($0.utf8) } }
    let parts = paths.reduce(0) { $0 + $1.count }
    var slots = 64
    while slots < parts * 3 { slots *= 2 }
    hashes = .allocate(capacity: slots)
    hashes.initialize(repeating: 0)
    children = .allocate(capacity: slots)
    children.initialize(repeating: -1)
    for (index, path) in paths.enumerated() where !path.isEmpty {
      let node = path.reduce(JSONNameTree.root) { node, name in
        name.withTextField { insert($0, below: node) }
      }
      if indices[node] < 0 { indices[node] = index }
    }
  }

  deinit {
    hashes.deallocate()
    children.deallocate()
  }

  static func folded(_ name: String) -> String {
    String(decoding: name.utf8.compactMap(fold), as: UTF8.self)
  }

  @inline(__always) func index(of node: Int) -> Int { indices[node] }

  @inline(__always) func hasChildren(_ node: Int) -> Bool { parents[node] }

  /// Node of a key in the object of a node, with its dots as levels; -1 if not found.
  @inline(__always) func find(_ key: TextField, below node: Int) -> Int {
    guard parents[node] else { return -1 }
    let child = children[slot(key, below: node)]
    return child >= 0 || key.find(0x2E) == nil ? child : deep(key, below: node)
  }

  @inline(never) private func deep(_ key: TextField, below node: Int) -> Int {
    var (rest, node) = (key, node)
    while node >= 0, !rest.isEmpty {
      let dot = rest.find(0x2E)
      node = children[slot(TextField(rest.next, dot ?? rest.end), below: node)]
      rest = TextField(dot.map { $0 + 1 } ?? rest.end, rest.end)
    }
    return node
  }

  private func insert(_ key: TextField, below node: Int) -> Int {
    let slot = slot(key, below: node)
    if children[slot] < 0 {
      (hashes[slot], children[slot]) = (hash(key, node), indices.count)
      indices.append(-1)
      parents.append(false)
      parents[node] = true
    }
    return children[slot]
  }

  /// Slot of a key, or the free one where it belongs. Keys with equal hashes of 64 bits are one.
  private func slot(_ key: TextField, below node: Int) -> Int {
    let hash = hash(key, node)
    var slot = Int(truncatingIfNeeded: hash) & (hashes.count - 1)
    while hashes[slot] != 0, hashes[slot] != hash { slot = (slot + 1) & (hashes.count - 1) }
    return slot
  }

  /// FNV-1a over the significant bytes.
  @inline(__always) private func hash(_ key: TextField, _ node: Int) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325 ^ (UInt64(node) &* 0x9E37_79B9_7F4A_7C15)
    var rest = key
    while let byte = rest.takeByte() {
      guard let kept = isExact ? byte : JSONNameTree.fold(byte) else { continue }
      hash = (hash ^ UInt64(kept)) &* 0x100_0000_01B3
    }
    return hash ^ hash >> 32
  }

  /// The byte in lower case; nil for blanks and ``- _ @ / ( ) [ ]``.
  @inline(__always) private static func fold(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x20, 0x28, 0x29, 0x2D, 0x2F, 0x40, 0x5B, 0x5D, 0x5F: return nil
    default: break
    }
    return byte &- 0x41 < 26 ? byte | 0x20 : byte
  }
}

extension Collection<UInt8> {
  func withTextField<Result>(_ body: (TextField) throws -> Result) rethrows -> Result {
    // An empty array has no address; a field needs one.
    let bytes = Array(self) + [0]
    return try bytes.withUnsafeBufferPointer { buffer in
      let start = buffer.baseAddress.unsafelyUnwrapped
      return try body(TextField(start, start + buffer.count - 1))
    }
  }
}

struct JSONKeys: Sendable {
  struct Key: Sendable {
    let name: String
    let folded: String
    var count = 0
    var values: [[UInt8]] = []

    func count(where test: (TextField) -> Bool) -> Int { values.count { $0.withTextField(test) } }
  }

  let all: [Key]
  let objects: Int
  let lines: Int
  let table: WebTable?
  var format: String { table == nil ? "json-lines" : "web-table" }
  private let byFolded: [String: [Int]]

  init(_ lines: [ArraySlice<UInt8>], table: WebTable? = nil) {
    self.table = table
    var all: [Key] = []
    var places: [String: Int] = [:]
    var objects = 0
    let scanner = JSONLineScanner([], table: table)
    for line in lines.dropFirst(table == nil ? 0 : 1) {
      let isObject = line.withTextField { line in
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
    self.lines = lines.count - (table == nil ? 0 : 1)
    byFolded = Dictionary(grouping: all.indices) { all[$0].folded }
  }

  func keys(named name: String) -> [Key] {
    (byFolded[JSONNameTree.folded(name)] ?? []).map { all[$0] }
  }

  func keys(ending name: String) -> [Key] { all.filter { $0.folded.hasSuffix(name) } }

  /// Key of exactly this name, or else one that differs by case and signs.
  func key(_ name: String) -> Key? {
    let keys = keys(named: name)
    return keys.first { $0.name == name } ?? keys.first
  }

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

  static func list(_ names: [String], limit: Int = 20) -> String {
    let shown = names.prefix(limit).map { name in
      let bytes = Array(name.utf8.prefix(60))
      return String(TextField.quote(bytes).dropFirst().dropLast())
    }
    let rest = names.count - shown.count
    return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}
