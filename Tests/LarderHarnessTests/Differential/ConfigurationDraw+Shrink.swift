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
    var alone = best
    alone.kind = .memory
    alone.memory = Tier(capacity: best.memory.capacity)
    while alone.memory.capacity > 0, !take(alone) { alone.memory.capacity /= 4 }
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
      var index = 0
      while index < best.plainer.count {
        if take(best.plainer[index]) { progress = true } else { index += 1 }
      }
    }
    return best
  }

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

  /// The draws with one part less.
  private var plainer: [ConfigurationDraw] {
    var changes: [(inout ConfigurationDraw) -> Bool] = [
      { Self.set(&$0.kind, .memory) }, { Self.set(&$0.memory.policy, "lru") },
      { Self.set(&$0.disk.policy, "lru") }, { Self.set(&$0.warmUp, "none") },
      { Self.set(&$0.hashing, "standard") }, { Self.set(&$0.inlineBytesMax, 20 << 10) },
      { Self.set(&$0.durability, "none") }, { Self.set(&$0.disk.segmentBytes, nil) },
      { Self.set(&$0.seed, 1) }, { $0.kind == .hybrid && Self.set(&$0.kind, .disk) },
      { Self.set(&$0.rules, HybridRules()) },
      { $0.disk.segmentBytes == nil && Self.set(&$0.unit, .objects) },
      {
        $0.memory = $0.disk
        $0.memory.segmentBytes = nil
        return Self.set(&$0.kind, .memory)
      },
    ]
    for tier in [\ConfigurationDraw.memory, \.disk] {
      changes += [
        { Self.set(&$0[keyPath: tier].admission, nil) },
        { Self.set(&$0[keyPath: tier].timeToLiveSeconds, nil) },
        { Self.set(&$0[keyPath: tier].objects, nil) },
        { Self.set(&$0[keyPath: tier].capacity, max(1, $0[keyPath: tier].capacity / 2)) },
        { Self.set(&$0[keyPath: tier].capacity, max(1, $0[keyPath: tier].capacity - 1)) },
      ]
    }
    return Self.changed(self, changes) + plainerSources
  }

  private var plainerSources: [ConfigurationDraw] {
    let sources: [Source] =
      switch source {
      case .lines(let trace): trace.plainer.map { .lines($0) }
      case .generator(let generator): generator.plainer.map { .generator($0) }
      }
    return sources.map {
      var draw = self
      draw.source = $0
      return draw
    }
  }

  /// Sets a value; false if it had it.
  fileprivate static func set<Value: Equatable>(_ value: inout Value, _ plain: Value) -> Bool {
    if value == plain { return false }
    value = plain
    return true
  }

  /// The copies of a value that the changes change.
  fileprivate static func changed<Value>(
    _ value: Value, _ changes: [(inout Value) -> Bool]
  ) -> [Value] {
    changes.compactMap {
      var copy = value
      return $0(&copy) ? copy : nil
    }
  }
}

extension DrawnTrace {
  fileprivate var plainer: [DrawnTrace] {
    var changes: [(inout DrawnTrace) -> Bool] = (0..<5).map { bit in
      { $0.columns.remove(Columns(rawValue: 1 << bit)) != nil }
    }
    // A few lines are changed one by one, so that a person can read them.
    for index in lines.count <= 40 ? lines.indices : 0..<0 {
      changes += [
        { ConfigurationDraw.set(&$0.lines[index].operation, .get) },
        { ConfigurationDraw.set(&$0.lines[index].timeToLive, 0) },
        { ConfigurationDraw.set(&$0.lines[index].cost, 1) },
        { ConfigurationDraw.set(&$0.lines[index].size, 1) },
      ]
    }
    return ConfigurationDraw.changed(self, changes)
  }
}

extension DrawnGenerator {
  fileprivate var plainer: [DrawnGenerator] {
    ConfigurationDraw.changed(
      self,
      [
        { ConfigurationDraw.set(&$0.name, "zipf") }, { ConfigurationDraw.set(&$0.sizeMax, nil) },
        { ConfigurationDraw.set(&$0.timeToLiveMax, nil) },
        { ConfigurationDraw.set(&$0.writes, [0, 0, 0]) }, { ConfigurationDraw.set(&$0.rate, 1) },
        { ConfigurationDraw.set(&$0.objects, max(1, $0.objects / 2)) },
        { ConfigurationDraw.set(&$0.objects, max(1, $0.objects - 1)) },
      ])
  }
}
