import LarderEngine

/// TinyLFU (Einziger, Friedman, Manes, ToS 2017) in front of LRU: if a new object needs an
/// eviction, it is stored only if it was requested more often than the first victim.
struct NaiveTinyLFU: NaivePolicy {
  var stack: [NaiveWeighted] = []
  let sketch: NaiveSketch
  let capacity: UInt64

  func contains(_ id: ObjectID) -> Bool { stack.has(id) }
  mutating func hit(_ request: Request) {
    sketch.count(request.id)
    stack.drop(request.id)
    stack.append(NaiveWeighted(request))
  }
  mutating func admit(_ request: Request) -> Bool {
    sketch.count(request.id)
    guard let victim = stack.first, stack.weight + UInt64(request.size) > capacity else {
      return true
    }
    return sketch.estimate(request.id) > sketch.estimate(victim.id)
  }
  mutating func evict() -> ObjectID {
    sketch.leave()
    return stack.removeFirst().id
  }
  mutating func insert(_ request: Request) {
    sketch.enter()
    stack.append(NaiveWeighted(request))
  }
  mutating func remove(_ id: ObjectID) {
    if contains(id) { sketch.leave() }
    stack.drop(id)
  }
}
