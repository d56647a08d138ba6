import CLarderShims
import LarderEngine

/// Gives every request the size of its object, by a rule, and fills sizes that are unknown.
///
/// A set and a modify begin a new version of their object: an object that is written with another
/// size has that size from there on, whatever the rule. Without operations an object has one
/// version. A size of 0 counts only where an object has no other. What a version does not tell is
/// taken from the version before, or else from the next one; then from the largest part of the
/// object that was requested; and for an object of which nothing is known at all, from the other
/// objects: it gets their median.
///
/// Two passes, O(requests), and 17 bytes an object while they run, with another 60 for an object
/// whose full sizes differ.
struct SizeResolution: ~Copyable {
  private let rule: SizeRule
  private let requests: Int
  private let objects: Int
  private let ids: UnsafePointer<ObjectID>
  private let sizes: UnsafeMutablePointer<UInt32>
  private let operations: UnsafePointer<UInt8>?
  /// 1 for a request whose size is not known; nil when all are.
  private let unknown: UnsafePointer<UInt8>?
  private let entries: GrowableColumn<Entry>
  private let marks: GrowableColumn<UInt8>
  /// The full sizes of objects that have several, for the rule that takes the last; the first
  /// element is of none.
  private var fullSizes: GrowableColumn<FullSizes>
  private var fullSizesCount = 1
  /// Places in `fullSizes` of versions that have ended.
  private var freePlaces: [Int] = []

  /// What is known of an object; 0 stands for nothing.
  private struct Entry: BitwiseCopyable {
    /// The size of the version that the pass is in.
    var full: UInt32 = 0
    /// The largest part.
    var part: UInt32 = 0
    /// The size of the nearest version that has one.
    var other: UInt32 = 0
    /// Requests with the size of the version; with `isSeveral`, the place of its full sizes.
    var count: UInt32 = 0

    /// In `count`: the version has several full sizes.
    static let isSeveral: UInt32 = 1 << 31
  }

  private enum Mark {
    static let zero: UInt8 = 1
    static let several: UInt8 = 2
    static let guessed: UInt8 = 4
  }

  /// A resolution of the sizes of `count` requests of `objects` objects, in place.
  init(
    _ rule: SizeRule, count: Int, objects: Int, ids: UnsafePointer<ObjectID>,
    sizes: UnsafeMutablePointer<UInt32>, operations: UnsafePointer<UInt8>?,
    unknown: UnsafePointer<UInt8>?
  ) throws(TraceError) {
    let entries = try GrowableColumn<Entry>(capacity: objects + 1)
    let marks = try GrowableColumn<UInt8>(capacity: objects + 1)
    fullSizes = try GrowableColumn<FullSizes>(capacity: 64)
    self.entries = entries
    self.marks = marks
    self.rule = rule
    requests = count
    self.objects = objects
    self.ids = ids
    self.sizes = sizes
    self.operations = operations
    self.unknown = unknown
  }

  /// Resolves all sizes.
  ///
  /// - Returns: what was found; nil when no size at all is known, and the column says nothing.
  consuming func resolve() throws(TraceError) -> SizeFacts? {
    var facts = SizeFacts(rule: rule)
    try collect(&facts)
    if rule == .lastFull { for id in 1...max(1, objects) { chooseSize(id) } }
    guard let typical = typicalSize() else { return nil }
    facts.typicalSize = typical
    spread(typical, &facts)
    for id in 1...max(1, objects) {
      if marks.base[id] & Mark.several != 0 { facts.objectsWithSeveral += 1 }
      if marks.base[id] & Mark.guessed != 0 { facts.objectsUnknown += 1 }
    }
    return facts
  }

  /// From the end: the size of each version, left with the request that begins it; that of the
  /// first version of an object in its entry.
  private mutating func collect(_ facts: inout SizeFacts) throws(TraceError) {
    let (entries, marks) = (entries.base, marks.base)
    let ahead = 16
    var index = requests - 1
    while index >= 0 {
      if index >= ahead { larder_prefetch(entries + Int(ids[index - ahead])) }
      let id = Int(ids[index])
      let size = sizes[index]
      facts.bytesLogged &+= UInt64(size)
      if passes(index) {
        index -= 1
        continue
      }
      if let unknown, unknown[index] != 0 {
        facts.requestsUnknown += 1
        if size > entries[id].part { entries[id].part = size }
      } else if size == 0 {
        marks[id] |= Mark.zero
      } else {
        let full = entries[id].full
        if full != 0, full != size { marks[id] |= Mark.several }
        switch rule {
        case .lastFull: try addFull(size, to: id)
        case .max: entries[id].full = max(full, size)
        case .first, .logged: entries[id].full = size
        }
      }
      if begins(index) {
        if rule == .lastFull, let place = chooseSize(id) { freePlaces.append(place) }
        let full = entries[id].full
        if rule != .logged { sizes[index] = full }
        if full != 0 { entries[id].other = full }
        entries[id].full = 0
      }
      index -= 1
    }
  }

  /// Adds a full size to the version that the pass is in.
  @inline(__always)
  private mutating func addFull(_ size: UInt32, to id: Int) throws(TraceError) {
    let entry = entries.base + id
    if entry.pointee.count & Entry.isSeveral != 0 {
      fullSizes.base[Int(entry.pointee.count & ~Entry.isSeveral)].add(size)
    } else if entry.pointee.full == 0 || entry.pointee.full == size {
      entry.pointee.full = size
      if entry.pointee.count < Entry.isSeveral - 1 { entry.pointee.count += 1 }
    } else {
      let place = freePlaces.popLast() ?? fullSizesCount
      if place == fullSizesCount {
        try fullSizes.reserve(place + 1)
        fullSizesCount += 1
      }
      let sizes = fullSizes.base + place
      sizes.pointee = FullSizes()
      sizes.pointee.add(entry.pointee.full, count: entry.pointee.count)
      sizes.pointee.add(size)
      entry.pointee.count = UInt32(place) | Entry.isSeveral
    }
  }

  /// Ends a version: its size is the one that its full sizes choose.
  ///
  /// - Returns: the place of its full sizes, if it has several.
  @discardableResult
  private func chooseSize(_ id: Int) -> Int? {
    let entry = entries.base + id
    defer { entry.pointee.count = 0 }
    guard entry.pointee.count & Entry.isSeveral != 0 else { return nil }
    let place = Int(entry.pointee.count & ~Entry.isSeveral)
    entry.pointee.full = fullSizes.base[place].size
    return place
  }

  /// From the beginning: every request gets the size of its version.
  private func spread(_ typical: UInt32, _ facts: inout SizeFacts) {
    let (entries, marks) = (entries.base, marks.base)
    let ahead = 16
    for index in 0..<requests {
      if index + ahead < requests { larder_prefetch(entries + Int(ids[index + ahead])) }
      if passes(index) { continue }
      let id = Int(ids[index])
      if rule == .logged {
        guard let unknown, unknown[index] != 0 else {
          if sizes[index] != 0 { entries[id].full = sizes[index] }
          continue
        }
      } else if begins(index), sizes[index] != 0 {
        entries[id].full = sizes[index]
      }
      var size = entries[id].full
      if size == 0 { size = entries[id].other }
      if size == 0 { size = entries[id].part }
      if size == 0, marks[id] & Mark.zero == 0 {
        marks[id] |= Mark.guessed
        size = typical
      }
      sizes[index] = size
    }
  }

  /// The answer to a request that nothing may store has a size of its own.
  @inline(__always)
  private func passes(_ index: Int) -> Bool {
    operations.map { $0[index] == Operation.bypass.rawValue } ?? false
  }

  @inline(__always)
  private func begins(_ index: Int) -> Bool {
    guard let operations else { return false }
    let operation = operations[index]
    return operation == Operation.set.rawValue || operation == Operation.modify.rawValue
  }

  /// The median of the objects that have a size; nil when none has.
  private func typicalSize() -> UInt32? {
    var known: [UInt32] = []
    var hasZero = false
    for id in 1...max(1, objects) {
      let entry = entries.base[id]
      let size = entry.full != 0 ? entry.full : entry.other != 0 ? entry.other : entry.part
      if size != 0 { known.append(size) }
      hasZero = hasZero || marks.base[id] & Mark.zero != 0
    }
    if known.isEmpty { return hasZero ? 0 : nil }
    return known.sorted()[known.count / 2]
  }
}
