import LarderEngine

/// Drives one policy in the order that `EvictionPolicy` documents, keeps its own account of the
/// residents, and checks each answer.
///
/// The engine's tier trusts its policy; this driver does not, so that a wrong answer is found at
/// its source and not at its effect.
final class ContractDriver<Policy: EvictionPolicy & ~Copyable> {
  private var policy: Policy
  private let capacity: UInt64
  private let unit: CapacityUnit
  private let sizes: ContractSizes
  /// The requests that stored the resident objects.
  private var resident: [ObjectID: Request] = [:]
  private(set) var used: UInt64 = 0
  private(set) var objects: Int
  private(set) var counts = TierCounts()
  private(set) var hits: UInt64 = 0
  private let usesWords: Bool
  /// The size of an entry by that of its value if objects count with their entries' overhead: see
  /// `EntryMemory`.
  private let entrySize: (@Sendable (UInt32) -> UInt32)?
  var givesHints = true
  private var words: HitWords?

  init(
    _ spec: PolicySpec, capacity: UInt64, unit: CapacityUnit, objects: Int, seed: UInt64,
    usesWords: Bool = false, roomForSizes: Int = 0
  ) throws(ContractProblem) {
    let setup = PolicySetup(
      capacity: capacity, unit: unit, objects: objects, seed: seed, spec: spec)
    do throws(PolicyError) {
      policy = try Policy(setup)
      let size = try EntryMemory.sizes(of: spec, Policy.description)
      entrySize = unit == .bytes ? size : nil
    } catch {
      throw ContractProblem("it cannot be made for \(objects) objects: \(error)")
    }
    self.capacity = policy.exceedsCapacity ? PolicySetup.capacityMax : capacity
    self.unit = unit
    self.objects = objects
    self.usesWords = usesWords
    sizes = ContractSizes(objects: max(objects, roomForSizes))
    words = usesWords ? policy.hitWords : nil
  }

  deinit { sizes.deallocate() }

  var hasWords: Bool { policy.hitWords != nil }

  func isResident(_ id: ObjectID) -> Bool { resident[id] != nil }

  func remembers(_ id: ObjectID) -> Bool { policy.remembers(id) }

  var ghostsMax: Int { policy.ghostsMax }

  var stateBytes: Int { policy.stateBytes }

  func reserve(objects: Int) {
    policy.reserve(objects: objects)
    self.objects = max(self.objects, objects)
    if usesWords { words = policy.hitWords }
  }

  func follow(_ now: UInt64) {
    if Policy.notices.contains(.time) { policy.notice(.time(now)) }
  }

  func step(_ operation: LarderEngine.Operation, _ given: Request) throws(ContractProblem)
    -> ContractOutcome
  {
    var request = given
    if unit == .objects { request.size = 1 }
    let value = UInt64(request.size)
    if let entrySize { request.size = entrySize(request.size) }
    if givesHints {
      policy.prefetch(request.id)
      policy.prefetchNeighbours(request.id)
    }
    var isThere = try isThere(request.id)
    if isThere, [.get, .set].contains(operation), isIdle(request.id) {
      try remove(request.id)
      isThere = false
    }
    switch operation {
    case .modify, .bypass: return ContractOutcome(.nothing)
    case .expire:
      if isThere, !isIdle(request.id) { renew(request) }
      return ContractOutcome(.nothing)
    case .delete:
      try remove(request.id)
      return ContractOutcome(.deleted)
    case .get where isThere: return try hit(request)
    case .set where isThere: return try replace(request, value: value)
    case .get: return try store(request, value: value, as: .miss)
    case .set: return try store(request, value: value, as: .stored)
    }
  }

  func remove(_ id: ObjectID) throws(ContractProblem) {
    drop(id)
    policy.remove(id, sizes)
    if policy.contains(id) { throw ContractProblem("\(id) is resident after it was removed") }
    if policy.remembers(id) { throw ContractProblem("\(id) is remembered after it was removed") }
  }

  func checkEverything() throws(ContractProblem) {
    for id in 1...ObjectID(max(objects, 1)) where Int(id) <= objects {
      let isThere = try isThere(id)
      if isThere, !policy.remembers(id) {
        throw ContractProblem("\(id) is resident and not remembered")
      }
    }
    try checkHints()
  }

  // MARK: Requests

  private func hit(_ request: Request) throws(ContractProblem) -> ContractOutcome {
    var request = request
    if let copy = resident[request.id] {
      (request.size, request.expires, request.cost) = (copy.size, copy.expires, copy.cost)
    }
    hits += 1
    if let words {
      if !words.hit(request.id) {
        throw ContractProblem("hitWords does not find \(request.id), which is resident")
      }
      return ContractOutcome(.hit)
    }
    policy.hit(request, sizes)
    var evicted: [ObjectID] = []
    while policy.overflows {
      if !Policy.description.traits.contains(.evictsOnHit) {
        throw ContractProblem("it overflows after a hit, and evictsOnHit is no trait of it")
      }
      evicted.append(try evict(for: .none))
    }
    return ContractOutcome(.hit, evicted: evicted)
  }

  private func store(
    _ request: Request, value: UInt64, as kind: ContractOutcome.Kind
  ) throws(ContractProblem) -> ContractOutcome {
    if let words, words.hit(request.id) {
      throw ContractProblem("hitWords finds \(request.id), which is not resident")
    }
    let size = UInt64(request.size)
    guard size <= capacity else {
      counts.rejections += 1
      return ContractOutcome(.rejected)
    }
    var evicted: [ObjectID] = []
    guard policy.admit(request, sizes) else {
      counts.rejections += 1
      while policy.overflows { evicted.append(try evict(for: request)) }
      return ContractOutcome(.rejected, evicted: evicted)
    }
    if policy.contains(request.id) {
      throw ContractProblem("\(request.id) is resident after admit, before insert")
    }
    while used + size > capacity || policy.isFull(for: request) {
      evicted.append(try evict(for: request))
    }
    sizes.set(request.id, request.size)
    resident[request.id] = request
    used += size
    counts.admissions += 1
    counts.bytesWritten += value
    policy.insert(request, sizes)
    return ContractOutcome(kind, evicted: evicted)
  }

  private func replace(
    _ request: Request, value: UInt64
  ) throws(ContractProblem) -> ContractOutcome {
    let size = UInt64(request.size)
    guard size <= capacity else {
      try remove(request.id)
      counts.rejections += 1
      return ContractOutcome(.rejected)
    }
    policy.replace(request, sizes)
    used += size
    used -= UInt64(resident[request.id]?.size ?? 0)
    sizes.set(request.id, request.size)
    resident[request.id] = request
    counts.bytesWritten += value
    var evicted: [ObjectID] = []
    while policy.overflows || used > capacity { evicted.append(try evict(for: request)) }
    return ContractOutcome(.stored, evicted: evicted)
  }

  private func renew(_ request: Request) {
    resident[request.id]?.expires = request.expires
    if Policy.notices.contains(.expiries) { policy.notice(.expiry(request.id, request.expires)) }
  }

  private func evict(for request: Request) throws(ContractProblem) -> ObjectID {
    guard !resident.isEmpty else {
      throw ContractProblem("it overflows with nothing resident")
    }
    let said = namesVictim ? policy.victim : .none
    let victim = policy.evict(for: request, sizes)
    guard resident[victim] != nil else {
      throw ContractProblem("evict returned \(victim), which is not resident")
    }
    if namesVictim, said != victim {
      throw ContractProblem("victim said \(said), and evict returned \(victim)")
    }
    drop(victim)
    counts.evictions += 1
    if policy.contains(victim) {
      throw ContractProblem("\(victim) is resident after evict returned it")
    }
    return victim
  }

  private func drop(_ id: ObjectID) {
    guard let copy = resident.removeValue(forKey: id) else { return }
    used -= UInt64(copy.size)
  }

  // MARK: Checks

  private var namesVictim: Bool { Policy.description.traits.contains(.namesVictim) }

  private func isIdle(_ id: ObjectID) -> Bool {
    Policy.notices.contains(.idleness) && policy.isIdle(id)
  }

  private func isThere(_ id: ObjectID) throws(ContractProblem) -> Bool {
    let isThere = resident[id] != nil
    if policy.contains(id) != isThere {
      throw ContractProblem(
        "contains(\(id)) is \(!isThere), and the object is\(isThere ? "" : " not") resident")
    }
    return isThere
  }

  private func checkHints() throws(ContractProblem) {
    if namesVictim {
      let victim = policy.victim
      let isRight = resident.isEmpty ? victim == .none : resident[victim] != nil
      if !isRight { throw ContractProblem("victim is \(victim), which is not resident") }
    }
    if Int(policy.candidate) > objects {
      throw ContractProblem("candidate is \(policy.candidate), above all ids")
    }
    if policy.ghostsMax < 0 { throw ContractProblem("ghostsMax is \(policy.ghostsMax)") }
  }
}

/// The sizes of the resident objects, in the form that policies read.
struct ContractSizes: ObjectSizes {
  private let base: UnsafeMutablePointer<UInt32>
  private let objects: Int

  init(objects: Int) {
    self.objects = objects
    base = .allocate(capacity: objects + 1)
    base.initialize(repeating: 0, count: objects + 1)
  }

  subscript(id: ObjectID) -> UInt32 {
    precondition(Int(id) <= objects, "the size of \(id) is asked for, above all ids")
    return base[Int(id)]
  }

  func set(_ id: ObjectID, _ size: UInt32) { base[Int(id)] = size }

  func deallocate() { base.deallocate() }
}

/// The outcome of a request.
struct ContractOutcome: Equatable, CustomStringConvertible {
  enum Kind: String {
    case hit
    case miss
    case stored
    case rejected
    case deleted
    case nothing
  }

  var kind: Kind
  var evicted: [ObjectID]

  init(_ kind: Kind, evicted: [ObjectID] = []) {
    self.kind = kind
    self.evicted = evicted
  }

  var description: String {
    let victims = evicted.map(String.init).joined(separator: " ")
    return kind.rawValue + (evicted.isEmpty ? "" : " evicts \(victims)")
  }
}
