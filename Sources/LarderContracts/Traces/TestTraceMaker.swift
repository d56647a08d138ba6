import LarderEngine

/// Makes short random traces in which much happens: few objects, little room.
package struct TestTraceMaker {
  /// What a trace has beside ids.
  package struct Features: OptionSet, CustomStringConvertible {
    /// The bits of the set.
    package let rawValue: Int

    /// A set from its bits.
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Objects have sizes.
    package static let sizes = Features(rawValue: 1)
    /// Requests have times, and some a time to live.
    package static let times = Features(rawValue: 2)
    /// There are sets, deletes and changes at the origin.
    package static let operations = Features(rawValue: 4)
    /// Fetches cost something.
    package static let costs = Features(rawValue: 8)

    /// Their names.
    package var description: String {
      let names = ["sizes", "times", "operations", "costs"]
      let present = names.indices.filter { rawValue & (1 << $0) != 0 }.map { names[$0] }
      return present.isEmpty ? "ids only" : present.joined(separator: ", ")
    }

    /// Any combination.
    package static func random(_ random: inout TestRandom) -> Features {
      Features(rawValue: random.below(16))
    }
  }

  /// What its traces have beside ids.
  package var features: Features
  /// Sizes run from 0 to a little more than this.
  package var capacity: UInt64
  /// Where chance comes from.
  package var random: TestRandom

  /// A maker of traces for caches of about a capacity.
  package init(features: Features, capacity: UInt64, random: TestRandom) {
    self.features = features
    self.capacity = capacity
    self.random = random
  }

  /// A trace of 1 to 80 requests for at most 24 objects.
  package mutating func make() -> TestTrace {
    make(requests: 1 + random.below(80), objects: 1 + random.below(random.oneIn(2) ? 8 : 24))
  }

  /// A trace of so many requests for at most so many objects.
  package mutating func make(requests length: Int, objects: Int) -> TestTrace {
    let largest = 1 + random.below(Int(capacity) + 3)
    var sizes: [ObjectID: UInt32] = [:]
    var time: UInt32 = 0
    var requests: [TestRequest] = []
    for _ in 0..<length {
      // The smaller of two draws: some objects are asked for much more often than others.
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
  /// The same trace with ids 1, 2, 3 ... in order of first appearance.
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
