@testable import LarderEngine

/// A small trace of gets with next uses, in arrays that it owns.
struct OwnedTrace {
  let ids: [ObjectID]
  let sizes: [UInt32]
  let nextUses: [UInt32]

  init(ids: [ObjectID], sizes: [UInt32]) {
    self.ids = ids
    self.sizes = sizes
    var next = [UInt32](repeating: Request.never, count: ids.count)
    var seen: [ObjectID: Int] = [:]
    for index in ids.indices.reversed() {
      if let later = seen[ids[index]] { next[index] = UInt32(later) }
      seen[ids[index]] = index
    }
    nextUses = next
  }

  init(requests: Int, objects: Int, sized: Bool, _ random: inout SeededGenerator) {
    var sizeOf: [UInt32] = []
    for _ in 0...objects { sizeOf.append(sized ? UInt32(1 + random.next(below: 9)) : 1) }
    var ids: [ObjectID] = []
    for _ in 0..<requests {
      let unit = random.nextUnit()
      ids.append(1 + ObjectID(Double(objects) * unit * unit))
    }
    self.init(ids: ids, sizes: ids.map { sizeOf[Int($0)] })
  }

  func with<Result>(_ body: (RequestColumns) throws -> Result) rethrows -> Result {
    try ids.withUnsafeBufferPointer { ids in
      try sizes.withUnsafeBufferPointer { sizes in
        try nextUses.withUnsafeBufferPointer { next in
          guard let idBase = ids.baseAddress else { preconditionFailure("an empty trace") }
          return try body(
            RequestColumns(
              count: ids.count, objects: Int(ids.max() ?? 0), ids: idBase,
              sizes: sizes.baseAddress, nextUses: next.baseAddress, owner: nil))
        }
      }
    }
  }
}
