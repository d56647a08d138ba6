import LarderEngine

/// Finds a few values in a line that is a JSON object, without building anything.
///
/// Reads only enough to find where values begin and end; numbers and words are not checked.
/// Descends only into objects that lead to a wanted name. A key with dots is equivalent to the
/// inner objects that it names.
final class JSONLineScanner {
  static let depthMaximum = 8

  private let names: JSONNameTree
  private let values: UnsafeMutablePointer<TextField>
  private(set) var found: [Int] = []
  /// Unescaped strings, one after another.
  private var scratch: UnsafeMutablePointer<UInt8>
  private var scratchCapacity = 4096
  private var scratchCount = 0
  private let nothing: UnsafeMutablePointer<UInt8>

  /// A scanner for names with dots into inner objects.
  ///
  /// - Parameter isExact: false ignores case, `-` and `_` in names.
  init(_ names: [String], isExact: Bool = true) {
    self.names = JSONNameTree(names, isExact: isExact)
    scratch = .allocate(capacity: scratchCapacity)
    nothing = .allocate(capacity: 1)
    nothing.initialize(to: 0)
    values = .allocate(capacity: names.count + 1)
    values.initialize(repeating: TextField(nothing, nothing), count: names.count + 1)
    found.reserveCapacity(64)
  }

  convenience init(_ paths: [[[UInt8]]]) {
    self.init(paths.map { $0.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".") })
  }

  deinit {
    scratch.deallocate()
    nothing.deallocate()
    values.deallocate()
  }

  /// Value of a name in the last line: a string without quotes and escapes, a number or word as
  /// written, or the first element of an array; empty if missing or null.
  @inline(__always) func value(_ index: Int) -> TextField { values[index] }

  /// Scans a line; false if it is not exactly one object.
  func scan(_ line: TextField) -> Bool {
    for index in found { values[index] = TextField(nothing, nothing) }
    found.removeAll(keepingCapacity: true)
    prepareScratch(for: line)
    var rest = line.trimmed
    guard object(&rest, depth: 0, below: JSONNameTree.root) else { return false }
    return rest.trimmed.isEmpty
  }

  /// Calls `body` with the dotted name and text of every value that is not an object; false if the
  /// line is not an object. For the first lines of a file.
  func forEachValue(in line: TextField, _ body: (String, TextField) -> Void) -> Bool {
    prepareScratch(for: line)
    var rest = line.trimmed
    guard visit(&rest, name: "", depth: 0, body) else { return false }
    return rest.trimmed.isEmpty
  }

  private func prepareScratch(for line: TextField) {
    scratchCount = 0
    guard line.count > scratchCapacity else { return }
    scratch.deallocate()
    scratchCapacity = line.count * 2
    scratch = .allocate(capacity: scratchCapacity)
  }

  /// Reads an object whose keys below `node` are wanted.
  private func object(_ rest: inout TextField, depth: Int, below node: Int) -> Bool {
    guard take(0x7B, &rest) else { return false }
    if take(0x7D, &rest) { return true }
    repeat {
      skipSpace(&rest)
      guard let key = string(&rest), take(0x3A, &rest) else { return false }
      skipSpace(&rest)
      let child = names.find(key, below: node)
      guard child < 0 ? skip(&rest) : value(&rest, depth: depth, at: child) else { return false }
    } while take(0x2C, &rest)
    return take(0x7D, &rest)
  }

  private func value(_ rest: inout TextField, depth: Int, at node: Int) -> Bool {
    guard !rest.isEmpty else { return false }
    if rest.next.pointee == 0x7B {
      guard depth < JSONLineScanner.depthMaximum, names.hasChildren(node) else {
        return skip(&rest)
      }
      return object(&rest, depth: depth + 1, below: node)
    }
    guard let text = scalar(&rest) else { return false }
    let index = names.index(of: node)
    if index >= 0 {
      values[index] = text
      found.append(index)
    }
    return true
  }

  private func visit(
    _ rest: inout TextField, name: String, depth: Int, _ body: (String, TextField) -> Void
  ) -> Bool {
    guard take(0x7B, &rest) else { return false }
    if take(0x7D, &rest) { return true }
    repeat {
      skipSpace(&rest)
      guard let key = string(&rest), take(0x3A, &rest) else { return false }
      skipSpace(&rest)
      guard !rest.isEmpty else { return false }
      let whole = name.isEmpty ? key.text : "\(name).\(key.text)"
      if rest.next.pointee != 0x7B {
        guard let text = scalar(&rest) else { return false }
        body(whole, text)
      } else if depth < JSONLineScanner.depthMaximum {
        guard visit(&rest, name: whole, depth: depth + 1, body) else { return false }
      } else {
        guard skip(&rest) else { return false }
      }
    } while take(0x2C, &rest)
    return take(0x7D, &rest)
  }

  /// Reads a value that is not an object, in the form of `value(_:)`.
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

  /// Returns a string without its escapes, using the scratch memory.
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

/// Tree of wanted JSON keys by nesting level: one look-up per key of a line, however many are
/// wanted.
final class JSONNameTree {
  static let root = 0

  private struct Entry {
    var parent: Int32
    /// -1 if the slot is free.
    var child: Int32
    var hash: UInt32
    var start: Int32
    var count: Int32
  }

  private struct Node {
    var index: Int32
    var hasChildren: Bool
  }

  private let isExact: Bool
  private let table: UnsafeMutableBufferPointer<Entry>
  private let nodes: UnsafeMutableBufferPointer<Node>
  private var nodeCount = 1
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private var byteCount = 0

  /// A tree of names with dots into inner objects; the first of equal names counts.
  init(_ names: [String], isExact: Bool) {
    self.isExact = isExact
    let paths = names.map { $0.split(separator: ".").map { Array($0.utf8) } }
    let parts = paths.reduce(0) { $0 + $1.count }
    var places = 64
    while places < parts * 3 { places *= 2 }
    table = .allocate(capacity: places)
    table.initialize(repeating: Entry(parent: 0, child: -1, hash: 0, start: 0, count: 0))
    nodes = .allocate(capacity: parts + 1)
    nodes.initialize(repeating: Node(index: -1, hasChildren: false))
    bytes = .allocate(capacity: names.reduce(1) { $0 + $1.utf8.count })
    bytes.initialize(repeating: 0)
    for (index, path) in paths.enumerated() where !path.isEmpty {
      let node = path.reduce(JSONNameTree.root) { insert($1, below: $0) }
      if nodes[node].index < 0 { nodes[node].index = Int32(index) }
    }
  }

  deinit {
    table.deallocate()
    nodes.deallocate()
    bytes.deallocate()
  }

  /// The name for comparisons that ignore case, `-` and `_`.
  static func folded(_ name: String) -> String {
    String(decoding: name.utf8.compactMap(fold), as: UTF8.self)
  }

  /// Index of the name that ends at a node; -1 without one.
  @inline(__always) func index(of node: Int) -> Int { Int(nodes[node].index) }

  /// True if longer names pass through the node.
  @inline(__always) func hasChildren(_ node: Int) -> Bool { nodes[node].hasChildren }

  /// Node of a key in the object of a node, with its dots as levels; -1 if not found.
  @inline(__always) func find(_ key: TextField, below node: Int) -> Int {
    guard nodes[node].hasChildren else { return -1 }
    let child = child(key, below: node)
    if child >= 0 || key.find(0x2E) == nil { return child }
    return deep(key, below: node)
  }

  @inline(never) private func deep(_ key: TextField, below node: Int) -> Int {
    var (rest, node) = (key, node)
    while node >= 0, !rest.isEmpty {
      let dot = rest.find(0x2E)
      node = child(TextField(rest.next, dot ?? rest.end), below: node)
      rest = TextField(dot.map { $0 + 1 } ?? rest.end, rest.end)
    }
    return node
  }

  private func child(_ key: TextField, below node: Int) -> Int {
    let hash = hash(key, node)
    var place = Int(hash) & (table.count - 1)
    while table[place].child >= 0 {
      let entry = table[place]
      if entry.hash == hash, Int(entry.parent) == node, equals(entry, key) {
        return Int(entry.child)
      }
      place = (place + 1) & (table.count - 1)
    }
    return -1
  }

  private func insert(_ name: [UInt8], below node: Int) -> Int {
    name.withField { key in
      let known = child(key, below: node)
      if known >= 0 { return known }
      let start = byteCount
      var rest = key
      while let byte = rest.takeByte() {
        guard let kept = isExact ? byte : JSONNameTree.fold(byte) else { continue }
        bytes[byteCount] = kept
        byteCount += 1
      }
      let hash = hash(key, node)
      var place = Int(hash) & (table.count - 1)
      while table[place].child >= 0 { place = (place + 1) & (table.count - 1) }
      table[place] = Entry(
        parent: Int32(node), child: Int32(nodeCount), hash: hash, start: Int32(start),
        count: Int32(byteCount - start))
      nodes[node].hasChildren = true
      nodeCount += 1
      return nodeCount - 1
    }
  }

  /// FNV-1a over the significant bytes.
  @inline(__always) private func hash(_ key: TextField, _ node: Int) -> UInt32 {
    var hash: UInt32 = 2_166_136_261 ^ (UInt32(truncatingIfNeeded: node) &* 2_654_435_761)
    var rest = key
    while let byte = rest.takeByte() {
      guard let kept = isExact ? byte : JSONNameTree.fold(byte) else { continue }
      hash = (hash ^ UInt32(kept)) &* 16_777_619
    }
    return hash ^ hash >> 15
  }

  private func equals(_ entry: Entry, _ key: TextField) -> Bool {
    var place = Int(entry.start)
    let end = place + Int(entry.count)
    var rest = key
    while let byte = rest.takeByte() {
      guard let kept = isExact ? byte : JSONNameTree.fold(byte) else { continue }
      if place == end || bytes[place] != kept { return false }
      place += 1
    }
    return place == end
  }

  /// The byte in lower case; nil for `-` and `_`.
  @inline(__always) private static func fold(_ byte: UInt8) -> UInt8? {
    if byte == 0x2D || byte == 0x5F { return nil }
    return byte &- 0x41 < 26 ? byte | 0x20 : byte
  }
}

extension Array where Element == UInt8 {
  /// Calls `body` with the bytes as a field.
  func withField<Result>(_ body: (TextField) throws -> Result) rethrows -> Result {
    var bytes = self
    bytes.append(0)
    return try bytes.withUnsafeBufferPointer { buffer in
      let start = buffer.baseAddress.unsafelyUnwrapped
      return try body(TextField(start, start + buffer.count - 1))
    }
  }
}

/// Keys of the first lines of a log in JSON lines, with their values.
struct JSONKeys: Sendable {
  /// A key, with dots into inner objects.
  struct Key: Sendable {
    let name: String
    let folded: String
    var count = 0
    /// Its values, without empty ones.
    var values: [[UInt8]] = []

    /// Number of values that satisfy `test`.
    func count(where test: (TextField) -> Bool) -> Int {
      values.count { $0.withField(test) }
    }
  }

  let all: [Key]
  let objects: Int
  let lines: Int
  private let byFolded: [String: [Int]]

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

  /// Keys named `name`, ignoring case, `-` and `_`.
  func keys(named name: String) -> [Key] {
    (byFolded[JSONNameTree.folded(name)] ?? []).map { all[$0] }
  }

  /// Key of exactly this name, or else one that differs by case, `-` and `_`.
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
