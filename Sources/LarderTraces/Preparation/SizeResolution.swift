import CLarderShims
import LarderEngine
internal import LarderSupport

/// Assigns a size to every request by a rule, and fills unknown sizes.
struct SizeResolution {
  private let rule: SizeRule
  private let requests: Int
  private let objects: Int
  private let ids: UnsafePointer<ObjectID>
  private let sizes: UnsafeMutablePointer<UInt32>
  private let operations: UnsafePointer<UInt8>?
  /// 1 for a request of unknown size; nil if all sizes are known.
  private let unknown: UnsafePointer<UInt8>?
  private let entries: GrowableColumn<Entry>
  private let marks: GrowableColumn<UInt8>
  /// Full sizes of objects that have several, for `last-full`; the first element is unused.
  private let fullSizes: GrowableColumn<FullSizes>
  private var fullSizesCount = 1
  /// Free slots in `fullSizes`, of versions that have ended.
  private var freePlaces: [Int] = []

  /// State of an object; 0 means unknown.
  private struct Entry: BitwiseCopyable {
    var full: UInt32 = 0
    var part: UInt32 = 0
    var other: UInt32 = 0
    /// Requests with the size of the version; with `isSeveral`, the index of its full sizes.
    var count: UInt32 = 0

    static let isSeveral: UInt32 = 1 << 31
  }

  private enum Mark {
    static let zero: UInt8 = 1
    static let several: UInt8 = 2
    static let guessed: UInt8 = 4
  }

  init(
    _ rule: SizeRule, count: Int, objects: Int, ids: UnsafePointer<ObjectID>,
    sizes: UnsafeMutablePointer<UInt32>, operations: UnsafePointer<UInt8>?,
    unknown: UnsafePointer<UInt8>?
  ) throws(TraceError) {
    entries = try GrowableColumn(capacity: objects + 1)
    marks = try GrowableColumn(capacity: objects + 1)
    fullSizes = try GrowableColumn(capacity: 64)
    (self.rule, requests, self.objects, self.ids) = (rule, count, objects, ids)
    (self.sizes, self.operations, self.unknown) = (sizes, operations, unknown)
  }

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

  /// Backward: stores the size of each version with the request that begins it.
  private mutating func collect(_ facts: inout SizeFacts) throws(TraceError) {
    let (entries, marks) = (entries.base, marks.base)
    let ahead = 16
    var index = requests - 1
    while index >= 0 {
      if index >= ahead { larder_prefetch(entries + Int(ids[index - ahead])) }
      let id = Int(ids[index])
      let size = sizes[index]
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

  @inline(__always) private mutating func addFull(_ size: UInt32, to id: Int) throws(TraceError) {
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

  @discardableResult private func chooseSize(_ id: Int) -> Int? {
    let entry = entries.base + id
    defer { entry.pointee.count = 0 }
    guard entry.pointee.count & Entry.isSeveral != 0 else { return nil }
    let place = Int(entry.pointee.count & ~Entry.isSeveral)
    entry.pointee.full = fullSizes.base[place].size
    return place
  }

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

  @inline(__always) private func passes(_ index: Int) -> Bool {
    operations.map { $0[index] == Operation.bypass.rawValue } ?? false
  }

  @inline(__always) private func begins(_ index: Int) -> Bool {
    guard let operations else { return false }
    let operation = operations[index]
    return operation == Operation.set.rawValue || operation == Operation.modify.rawValue
  }

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

/// Rule for resolving different sizes of one object.
public enum SizeRule: String, CaseIterable, Sendable, Hashable, Codable {
  case logged
  /// Size of the last request that gives the object's full size.
  case lastFull = "last-full"
  case max
  /// Size of the first request that gives the object's full size.
  case first

  var effect: String {
    switch self {
    case .logged: "each request keeps its own"
    case .lastFull: "each has its last full size"
    case .max: "each has its largest size"
    case .first: "each has its first full size"
    }
  }
}

/// Findings from resolving the sizes of a trace.
struct SizeFacts: Sendable, Hashable {
  var rule: SizeRule
  /// Number of objects whose requests gave more than one size above 0 (within one version, if the
  /// trace has writes).
  var objectsWithSeveral = 0
  var requestsUnknown = 0
  /// Number of objects without any known size; they have `typicalSize`, the median of the others.
  var objectsUnknown = 0
  var typicalSize: UInt32 = 0

  func notes(objects: Int) -> [String] {
    var notes: [String] = []
    if objectsWithSeveral > 0 {
      notes.append(
        "\(Self.share(objectsWithSeveral, of: objects)) of objects had more than one size; "
          + "\(rule.effect) (\(rule.rawValue)).")
    }
    if requestsUnknown > 0 {
      var text =
        NumberText.counted(requestsUnknown, "request")
        + " had no full size and "
        + (requestsUnknown == 1
          ? "was given that of its object" : "were given that of their object")
      if objectsUnknown > 0 {
        text += "; \(Self.share(objectsUnknown, of: objects)) of objects never had one and were "
        text += "given the median of the others, \(typicalSize) bytes"
      }
      notes.append(text + ".")
    }
    return notes
  }

  /// A share in percent, never rounded to 0.
  static func share(_ count: Int, of all: Int) -> String {
    let tenths = count * 1000 / max(1, all)
    if tenths == 0 { return "less than 0.1 %" }
    return tenths >= 100 ? "\((tenths + 5) / 10) %" : "\(tenths / 10).\(tenths % 10) %"
  }
}

/// Full sizes of one version, from its last response back: the last that was not cut off.
struct FullSizes: BitwiseCopyable {
  private struct Candidate: BitwiseCopyable {
    var size: UInt32 = 0
    var count: UInt32 = 0
    var larger: UInt32 = 0
  }

  private static let limit = 4

  /// Candidates; the first `known` are in use, last response first.
  private var candidates = (Candidate(), Candidate(), Candidate(), Candidate())
  private var known: UInt32 = 0
  private var answers: UInt32 = 0

  mutating func add(_ size: UInt32, count: UInt32 = 1) {
    answers &+= count
    let (known, answers) = (Int(known), answers)
    let isNew = withCandidates { candidates in
      var new = Candidate(size: size, count: count)
      var isKnown = false
      for index in 0..<known {
        if candidates[index].size < size { candidates[index].larger &+= count }
        if candidates[index].size > size { new.larger &+= candidates[index].count }
        if candidates[index].size == size {
          candidates[index].count &+= count
          isKnown = true
        }
      }
      if isKnown { return false }
      if known < FullSizes.limit {
        candidates[known] = new
        return true
      }
      guard let smallest = (0..<known).min(by: { candidates[$0].size < candidates[$1].size }),
        FullSizes.isCutOff(candidates[smallest], of: answers), candidates[smallest].size < size
      else { return false }
      for index in smallest..<(known - 1) { candidates[index] = candidates[index + 1] }
      candidates[known - 1] = new
      return false
    }
    if isNew { self.known += 1 }
  }

  /// The last size that is not smaller than most, or else the largest candidate; 0 without
  /// candidates.
  var size: UInt32 {
    var copy = self
    let (known, answers) = (Int(known), answers)
    return copy.withCandidates { candidates in
      let list = candidates[..<known]
      return (list.first { !FullSizes.isCutOff($0, of: answers) }?.size)
        ?? list.map(\.size).max() ?? 0
    }
  }

  private static func isCutOff(_ candidate: Candidate, of answers: UInt32) -> Bool {
    UInt64(candidate.larger) * 2 > UInt64(answers)
  }

  private mutating func withCandidates<Result>(
    _ body: (UnsafeMutableBufferPointer<Candidate>) -> Result
  ) -> Result {
    withUnsafeMutableBytes(of: &candidates) { bytes in
      body(bytes.assumingMemoryBound(to: Candidate.self))
    }
  }
}

/// Fills missing costs: logs give the cost of a fetch only for requests to the origin. An object
/// without a cost gets its previous one, or else its next one; an object that never has one gets
/// the mean of all known costs.
enum CostResolution {
  /// Fills costs in place. Number filled; nil if no cost is known and the column is useless.
  static func resolve(
    _ costs: UnsafeMutablePointer<Float>, count: Int, ids: UnsafePointer<ObjectID>, objects: Int
  ) throws(TraceError) -> Int? {
    let column = try GrowableColumn<Float>(capacity: objects + 1)
    defer { withExtendedLifetime(column) {} }
    let last = column.base
    last.update(repeating: TraceRecord.unknownCost, count: objects + 1)
    var (sum, known) = (0.0, 0)
    var index = count - 1
    while index >= 0 {
      if costs[index] >= 0 {
        last[Int(ids[index])] = costs[index]
        sum += Double(costs[index])
        known += 1
      }
      index -= 1
    }
    if known == count { return 0 }
    guard known > 0 else { return nil }
    let mean = Float(sum / Double(known))
    for index in 0..<count {
      let id = Int(ids[index])
      if costs[index] >= 0 {
        last[id] = costs[index]
      } else {
        costs[index] = last[id] >= 0 ? last[id] : mean
      }
    }
    return count - known
  }
}
