import LarderEngine

/// A short trace for tests and contracts, written by hand or made by `TestTraceMaker`.
package struct TestTrace: CustomStringConvertible {
  package var requests: [TestRequest]

  package init(_ requests: [TestRequest]) { self.requests = requests }

  package init(ids: [ObjectID]) { requests = ids.map { TestRequest(id: $0) } }

  package var description: String {
    requests.map { "  \($0)" }.joined(separator: "\n")
  }

  package var objects: Int { Int(requests.map(\.id).max() ?? 0) }

  package var nextUses: [UInt32] {
    var next: [ObjectID: Int] = [:]
    var result = Array(repeating: Request.never, count: requests.count)
    for (index, request) in requests.enumerated().reversed() {
      if let later = next[request.id] { result[index] = UInt32(later) }
      next[request.id] = index
    }
    return result
  }

  package func request(at index: Int, _ nextUses: [UInt32]) -> Request {
    let line = requests[index]
    return Request(
      id: line.id, size: line.size, index: UInt64(index), nextUse: nextUses[index],
      expires: line.ttlSeconds == 0
        ? Request.noExpiry : UInt64(line.timeSeconds + line.ttlSeconds) * 1_000_000,
      cost: line.cost)
  }

  package func columns(sparse: Bool = false) -> RequestColumns {
    let memory = ColumnMemory()
    func column<Value: BitwiseCopyable>(
      _ value: (TestRequest) -> Value, unless: (TestRequest) -> Bool
    ) -> UnsafePointer<Value>? {
      sparse && requests.allSatisfy(unless) ? nil : memory.store(requests.map(value))
    }
    return RequestColumns(
      count: requests.count, objects: objects, ids: memory.store(requests.map(\.id)),
      sizes: column(\.size) { $0.size == 1 },
      times: column({ UInt64($0.timeSeconds) * 1_000_000 }, unless: { $0.timeSeconds == 0 }),
      operations: column(\.operation.rawValue) { $0.operation == .get },
      ttls: column(\.ttlSeconds) { $0.ttlSeconds == 0 },
      costs: column(\.cost) { $0.cost == 1 },
      nextUses: memory.store(nextUses), owner: memory)
  }
}

private final class ColumnMemory {
  private var allocations: [UnsafeMutableRawPointer] = []

  func store<Value: BitwiseCopyable>(_ values: [Value]) -> UnsafePointer<Value> {
    let buffer = UnsafeMutablePointer<Value>.allocate(capacity: max(values.count, 1))
    buffer.initialize(from: values, count: values.count)
    allocations.append(UnsafeMutableRawPointer(buffer))
    return UnsafePointer(buffer)
  }

  deinit {
    for allocation in allocations { allocation.deallocate() }
  }
}

extension TestTrace {
  package func shrunk(while fails: (TestTrace) throws -> Bool) rethrows -> TestTrace {
    var best = self
    var progress = true
    while progress {
      progress = false
      var chunk = best.requests.count / 2
      while chunk > 0 {
        var start = 0
        while start + chunk <= best.requests.count {
          var shorter = best
          shorter.requests.removeSubrange(start..<start + chunk)
          if !shorter.requests.isEmpty, try fails(shorter.renumbered()) {
            best = shorter.renumbered()
            progress = true
          } else {
            start += chunk
          }
        }
        chunk /= 2
      }
      for place in best.requests.indices {
        for plainer in best.requests[place].plainer {
          var candidate = best
          candidate.requests[place] = plainer
          guard try fails(candidate) else { continue }
          best = candidate
          progress = true
          break
        }
      }
    }
    return best
  }
}

extension TestRequest {
  fileprivate var plainer: [TestRequest] {
    var result: [TestRequest] = []
    func add(_ applies: Bool, _ change: (inout TestRequest) -> Void) {
      guard applies else { return }
      var request = self
      change(&request)
      result.append(request)
    }
    add(operation != .get) { $0.operation = .get }
    add(ttlSeconds != 0) { $0.ttlSeconds = 0 }
    add(cost != 1) { $0.cost = 1 }
    add(size != 1) { $0.size = 1 }
    return result
  }
}

package struct TestRequest: CustomStringConvertible {
  package var operation: LarderEngine.Operation
  package var id: ObjectID
  package var size: UInt32
  package var timeSeconds: UInt32
  package var ttlSeconds: UInt32
  package var cost: Float

  package init(
    operation: LarderEngine.Operation = .get, id: ObjectID, size: UInt32 = 1,
    timeSeconds: UInt32 = 0, ttlSeconds: UInt32 = 0, cost: Float = 1
  ) {
    self.operation = operation
    self.id = id
    self.size = size
    self.timeSeconds = timeSeconds
    self.ttlSeconds = ttlSeconds
    self.cost = cost
  }

  package var description: String {
    var text = timeSeconds == 0 ? "" : "\(timeSeconds) s: "
    text += "\(operation) \(id)"
    if size != 1 { text += ", size \(size)" }
    if ttlSeconds != 0 { text += ", ttl \(ttlSeconds) s" }
    if cost != 1 { text += ", cost \(cost)" }
    return text
  }
}

/// Makes short, eventful random traces: few objects and little room.
package struct TestTraceMaker {
  /// Features of a trace besides ids.
  package struct Features: OptionSet, CustomStringConvertible {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    package static let sizes = Features(rawValue: 1)
    package static let times = Features(rawValue: 2)
    package static let operations = Features(rawValue: 4)
    package static let costs = Features(rawValue: 8)

    package var description: String {
      let names = ["sizes", "times", "operations", "costs"]
      let present = names.indices.filter { rawValue & (1 << $0) != 0 }.map { names[$0] }
      return present.isEmpty ? "ids only" : present.joined(separator: ", ")
    }
  }

  package var features: Features
  package var capacity: UInt64
  package var random: TestRandom

  package init(features: Features, capacity: UInt64, random: TestRandom) {
    self.features = features
    self.capacity = capacity
    self.random = random
  }

  package mutating func make() -> TestTrace {
    make(requests: 1 + random.below(80), objects: 1 + random.below(random.oneIn(2) ? 8 : 24))
  }

  package mutating func make(requests length: Int, objects: Int) -> TestTrace {
    let largest = 1 + random.below(Int(capacity) + 3)
    var sizes: [ObjectID: UInt32] = [:]
    var time: UInt32 = 0
    var requests: [TestRequest] = []
    for _ in 0..<length {
      // The smaller of two draws, so that some objects are requested much more often than others.
      let id = ObjectID(1 + min(random.below(objects), random.below(objects)))
      var request = TestRequest(id: id)
      if features.contains(.operations) { request.operation = operation() }
      if features.contains(.sizes) {
        let known = random.oneIn(4) ? nil : sizes[id]
        request.size = known ?? UInt32(random.below(largest + 1))
        sizes[id] = request.size
      }
      if features.contains(.times) {
        time += UInt32(random.below(4))
        request.timeSeconds = time
        if random.oneIn(2) { request.ttlSeconds = UInt32(1 + random.below(30)) }
      }
      if features.contains(.costs) { request.cost = Float(random.below(9)) / 2 }
      requests.append(request)
    }
    // Ids must be dense, in order of first appearance.
    return TestTrace(requests).renumbered()
  }

  private mutating func operation() -> LarderEngine.Operation {
    switch random.below(10) {
    case 0...5: .get
    case 6...7: .set
    case 8: .delete
    default: random.oneIn(2) ? .modify : .expire
    }
  }
}

extension TestTrace {
  package func renumbered() -> TestTrace {
    var ids: [ObjectID: ObjectID] = [:]
    return TestTrace(
      requests.map { request in
        var request = request
        if ids[request.id] == nil { ids[request.id] = ObjectID(ids.count + 1) }
        request.id = ids[request.id] ?? .none
        return request
      })
  }
}

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), the random numbers of tests.
package struct TestRandom: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= SplitMix64.step
    return SplitMix64.mixed(state)
  }

  /// A number from 0 to `bound` - 1. The remainder is nearly uniform for such small bounds and,
  /// unlike the standard library's choice, can never change.
  package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  package mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }

  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }
}
