/// Names of wanted keys of JSON objects, by levels of objects: one look-up for each key of a line,
/// however many are wanted.
final class JSONNameTree {
  /// The node of the outermost object.
  static let root = 0

  private struct Entry {
    var parent: Int32
    /// -1 where the place is free.
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

  /// A name as it is compared where case, `-` and `_` do not matter.
  static func folded(_ name: String) -> String {
    String(decoding: name.utf8.compactMap(fold), as: UTF8.self)
  }

  /// The index of the name that ends at a node; -1 when none does.
  @inline(__always)
  func index(of node: Int) -> Int { Int(nodes[node].index) }

  /// True for a node that names go on from.
  @inline(__always)
  func hasChildren(_ node: Int) -> Bool { nodes[node].hasChildren }

  /// The node of a key in the object of a node, with its dots taken for levels; -1 for none.
  @inline(__always)
  func find(_ key: TextField, below node: Int) -> Int {
    guard nodes[node].hasChildren else { return -1 }
    let child = child(key, below: node)
    if child >= 0 || key.find(0x2E) == nil { return child }
    return deep(key, below: node)
  }

  @inline(never)
  private func deep(_ key: TextField, below node: Int) -> Int {
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

  /// FNV-1a over the bytes that count.
  @inline(__always)
  private func hash(_ key: TextField, _ node: Int) -> UInt32 {
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

  /// A byte in lower case; nil for `-` and `_`.
  @inline(__always)
  private static func fold(_ byte: UInt8) -> UInt8? {
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
