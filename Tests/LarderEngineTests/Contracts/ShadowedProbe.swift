import LarderEngine

/// Drives a probe and keeps its own account of what must be resident.
struct ShadowedProbe {
  let probe: PolicyProbe
  let capacity: UInt64
  let objects: Int
  /// Sizes of what is resident by this account.
  private(set) var resident: [ObjectID: UInt32] = [:]

  init(_ spec: String, capacity: UInt64, unit: CapacityUnit, objects: Int, seed: UInt64) throws {
    probe = try ContractSpecs.probe(
      spec, capacity: capacity, unit: unit, objects: objects, seed: seed)
    self.capacity = capacity
    self.objects = objects
  }

  /// Does what the line says and returns the first broken promise, if any.
  mutating func step(_ line: TestRequest, _ request: Request) -> String? {
    switch line.operation {
    case .modify: return nil
    case .delete:
      probe.remove(request.id)
      resident[request.id] = nil
      if probe.remembers(request.id) { return "a deleted object is remembered" }
    case .set where resident[request.id] != nil:
      if let problem = replace(request) { return problem }
    case .get, .set:
      if let problem = get(request) { return problem }
    }
    return discrepancy
  }

  private mutating func get(_ request: Request) -> String? {
    var request = request
    let stored = resident[request.id]
    if let stored { request.size = stored }
    switch probe.request(request) {
    case .hit:
      if stored == nil { return "a hit for what is not resident" }
      // A policy may give something up on a hit, but never gains anything.
      resident = resident.filter { probe.contains($0.key) }
    case .rejected:
      if stored != nil { return "a rejection of what is resident" }
    case .stored(let evicted):
      if stored != nil { return "a miss for what is resident" }
      if let problem = drop(evicted) { return problem }
      resident[request.id] = request.size
    }
    return nil
  }

  private mutating func replace(_ request: Request) -> String? {
    let evicted = probe.replace(request)
    resident[request.id] = request.size
    if UInt64(request.size) > capacity {
      resident[request.id] = nil
      return evicted.isEmpty ? nil : "evictions for what is never stored"
    }
    return drop(evicted)
  }

  private mutating func drop(_ evicted: [ObjectID]) -> String? {
    for victim in evicted where resident.removeValue(forKey: victim) == nil {
      return "\(victim) was evicted without being resident"
    }
    return nil
  }

  /// How the probe's state contradicts this account.
  private var discrepancy: String? {
    let used = resident.values.reduce(0) { $0 + UInt64($1) }
    if probe.used != used { return "uses \(probe.used) instead of \(used)" }
    if used > capacity { return "uses \(used) of \(capacity)" }
    for id in 1...ObjectID(objects) {
      if probe.contains(id) != (resident[id] != nil) {
        return "\(id) is\(resident[id] == nil ? " not" : "") resident"
      }
      if resident[id] != nil, !probe.remembers(id) { return "resident \(id) is not remembered" }
    }
    return nil
  }
}
