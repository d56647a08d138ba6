import LarderEngine

extension Script {
  @discardableResult
  func replay() throws -> Int {
    for section in sections {
      let cache = try PolicyProbe(
        section.policy, capacity: section.capacity, unit: section.unit,
        objects: section.names.count)
      var misses = 0
      for step in section.steps {
        if let problem = check(step.action, section, cache, &misses) {
          throw Failure(file: file, line: step.line, problem: problem)
        }
      }
    }
    return sections.count
  }

  /// Performs a line and returns a description of the difference, if any.
  private func check(
    _ action: Action, _ section: Section, _ cache: PolicyProbe, _ misses: inout Int
  ) -> String? {
    switch action {
    case .request(let isSet, let request, let expected):
      let outcome = isSet ? cache.set(request) : cache.get(request)
      if !isSet, outcome.kind != .hit { misses += 1 }
      guard outcome != expected else { return nil }
      return "expected \(expected.kind) evicting \(section.names(of: expected.evicted)), "
        + "found \(outcome.kind) evicting \(section.names(of: outcome.evicted))"
    case .delete(let id):
      cache.remove(id)
      return cache.contains(id) || cache.remembers(id) ? "is still known" : nil
    case .expire(let id, let expires):
      cache.expire(id, expires)
      return nil
    case .holds(let expected):
      return difference(expected, section) { cache.contains($0) }
    case .ghosts(let expected):
      return difference(expected, section) { cache.remembers($0) && !cache.contains($0) }
    case .misses(let expected):
      return misses == expected ? nil : "expected \(expected) misses, found \(misses)"
    }
  }

  private func difference(
    _ expected: Set<ObjectID>, _ section: Section, _ isMember: (ObjectID) -> Bool
  ) -> String? {
    let found = (1...ObjectID(section.names.count)).filter(isMember)
    guard Set(found) != expected else { return nil }
    return "expected \(section.names(of: expected.sorted())), found \(section.names(of: found))"
  }
}
