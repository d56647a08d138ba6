import LarderEngine

extension SimulationSetup {
  var summary: String {
    switch arrangement {
    case .memory(let tier): "memory \(tier.summary) \(unit)"
    case .disk(let tier): "disk \(tier.summary) \(unit)"
    case .hybrid(let memory, let disk, let rules):
      "\(rules.inclusion) hybrid of \(memory.summary) and \(disk.summary) \(unit), "
        + "promotion \(rules.promotion)" + (rules.placement.map { ", placement \($0)" } ?? "")
    }
  }
}

extension TierSetup {
  var summary: String {
    "\(policy) \(capacity)" + (timeToLiveSeconds.map { " (ttl \($0) s)" } ?? "")
      + (objectsMax.map { " (at most \($0) objects)" } ?? "")
  }
}

extension SimulationSetup {
  var smallestCapacity: UInt64 {
    switch arrangement {
    case .memory(let tier), .disk(let tier): tier.capacity
    case .hybrid(let memory, let disk, _): min(memory.capacity, disk.capacity)
    }
  }
}
