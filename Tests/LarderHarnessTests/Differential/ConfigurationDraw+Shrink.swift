import LarderEngine

@testable import LarderHarness

extension ConfigurationDraw {
  /// The plainest draw with the fewest requests, found by removing parts, that still fulfils the
  /// condition. Invalid workloads do not fulfil it.
  ///
  /// - Parameter triesMax: The most draws to try.
  func shrunk(triesMax: Int = 3_000, while fails: (ConfigurationDraw) -> Bool) -> ConfigurationDraw
  {
    var best = self
    var tries = 0
    func take(_ candidate: ConfigurationDraw) -> Bool {
      guard tries < triesMax else { return false }
      tries += 1
      guard fails(candidate) else { return false }
      best = candidate
      return true
    }
    // First: a fault that a short trace shows with one policy may not show with another. The
    // plainest cache is LRU alone; if it has too much room to fail, it gets less.
    var capacity = best.memory.capacity
    while capacity > 0 {
      var candidate = best
      candidate.kind = .memory
      candidate.memory.policy = "lru"
      candidate.memory.admission = nil
      candidate.memory.objects = nil
      candidate.memory.capacity = capacity
      if take(candidate) { break }
      capacity /= 4
    }
    for change in Self.plainPolicies {
      var candidate = best
      change(&candidate)
      _ = take(candidate)
    }
    var progress = true
    while progress, tries < triesMax {
      progress = false
      var chunk = best.requests / 2
      while chunk > 0 {
        var start = 0
        while start + chunk <= best.requests, tries < triesMax {
          guard let shorter = best.without(start..<start + chunk) else { break }
          if take(shorter) { progress = true } else { start += chunk }
        }
        chunk /= 2
      }
      var place = 0
      while true {
        let plainer = best.plainer
        guard place < plainer.count else { break }
        if take(plainer[place]) { progress = true } else { place += 1 }
      }
    }
    return best
  }

  private static let plainPolicies: [@Sendable (inout ConfigurationDraw) -> Void] = [
    { if $0.kind == .hybrid { $0.kind = .memory } },
    { $0.memory.policy = "lru" },
    { $0.disk.policy = "lru" },
  ]

  private var requests: Int {
    switch source {
    case .lines(let trace): trace.lines.count
    case .generator(let generator): generator.requests
    }
  }

  /// The draw without some requests; a generated trace can only end earlier. Nil if none would be
  /// left.
  private func without(_ range: Range<Int>) -> ConfigurationDraw? {
    guard range.count < requests else { return nil }
    var draw = self
    switch source {
    case .lines(var trace):
      trace.lines.removeSubrange(range)
      draw.source = .lines(trace)
    case .generator(var generator):
      generator.requests -= range.count
      draw.source = .generator(generator)
    }
    return draw
  }

  private var plainer: [ConfigurationDraw] {
    var result: [ConfigurationDraw] = []
    func add(_ applies: Bool, _ change: (inout ConfigurationDraw) -> Void) {
      guard applies else { return }
      var draw = self
      change(&draw)
      result.append(draw)
    }
    add(warmUp != "none") { $0.warmUp = "none" }
    add(hashing != "standard") { $0.hashing = "standard" }
    add(inlineBytesMax != 20 << 10) { $0.inlineBytesMax = 20 << 10 }
    add(durability != "none") { $0.durability = "none" }
    add(disk.segmentBytes != nil) { $0.disk.segmentBytes = nil }
    add(seed != 1) { $0.seed = 1 }
    add(kind == .hybrid) { $0.kind = .memory }
    add(kind == .hybrid) { $0.kind = .disk }
    add(kind == .disk) {
      $0.kind = .memory
      $0.memory = $0.disk
      $0.memory.segmentBytes = nil
    }
    if kind == .hybrid {
      add(rules.placement != nil) { $0.rules.placement = nil }
      add(rules.inclusion != .inclusive) { $0.rules.inclusion = .inclusive }
      add(rules.promotion != .always) { $0.rules.promotion = .always }
    }
    add(unit == .bytes && disk.segmentBytes == nil) { $0.unit = .objects }
    for tier in [\ConfigurationDraw.memory, \.disk] {
      let drawn = self[keyPath: tier]
      add(drawn.admission != nil) { $0[keyPath: tier].admission = nil }
      add(drawn.timeToLiveSeconds != nil) { $0[keyPath: tier].timeToLiveSeconds = nil }
      add(drawn.objects != nil) { $0[keyPath: tier].objects = nil }
      add(drawn.policy != "lru") { $0[keyPath: tier].policy = "lru" }
      add(drawn.policy.contains(":")) {
        $0[keyPath: tier].policy = String(drawn.policy.prefix { $0 != ":" })
      }
      for smaller in [1, drawn.capacity / 2, drawn.capacity &- 1]
      where smaller > 0 && smaller < drawn.capacity {
        add(true) { $0[keyPath: tier].capacity = smaller }
      }
      if let objects = drawn.objects, objects > 1 {
        add(true) { $0[keyPath: tier].objects = objects - 1 }
      }
    }
    switch source {
    case .lines(let trace): result += trace.plainer.map { with(.lines($0)) }
    case .generator(let generator): result += generator.plainer.map { with(.generator($0)) }
    }
    return result
  }

  private func with(_ source: Source) -> ConfigurationDraw {
    var draw = self
    draw.source = source
    return draw
  }
}

extension DrawnTrace {
  fileprivate var plainer: [DrawnTrace] {
    var result: [DrawnTrace] = []
    for bit in 0..<5 {
      let column = Columns(rawValue: 1 << bit)
      guard columns.contains(column) else { continue }
      var trace = self
      trace.columns.remove(column)
      result.append(trace)
    }
    // A few lines are changed one by one, so that a person can read them.
    guard lines.count <= 40 else { return result }
    for place in lines.indices {
      func add(_ applies: Bool, _ change: (inout Line) -> Void) {
        guard applies else { return }
        var trace = self
        change(&trace.lines[place])
        result.append(trace)
      }
      add(lines[place].operation != .get) { $0.operation = .get }
      add(lines[place].timeToLive != 0) { $0.timeToLive = 0 }
      add(lines[place].cost != 1) { $0.cost = 1 }
      add(lines[place].size != 1) { $0.size = 1 }
    }
    return result
  }
}

extension DrawnGenerator {
  fileprivate var plainer: [DrawnGenerator] {
    var result: [DrawnGenerator] = []
    func add(_ applies: Bool, _ change: (inout DrawnGenerator) -> Void) {
      guard applies else { return }
      var generator = self
      change(&generator)
      result.append(generator)
    }
    add(name != "zipf") { $0.name = "zipf" }
    add(sizeMax != nil) { $0.sizeMax = nil }
    add(timeToLiveMax != nil) { $0.timeToLiveMax = nil }
    for place in writes.indices { add(writes[place] != 0) { $0.writes[place] = 0 } }
    add(objects > 1) { $0.objects /= 2 }
    add(objects > 1) { $0.objects -= 1 }
    add(rate != 1) { $0.rate = 1 }
    return result
  }
}
