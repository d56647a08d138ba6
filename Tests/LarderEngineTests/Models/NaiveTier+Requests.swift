import LarderEngine

extension NaiveTier {
  func timed(_ request: Request, _ context: NaiveContext) -> Request {
    var request = request
    request.expires = expiry(ttlSeconds: context.ttlSeconds, now: context.now)
    return request
  }

  /// Returns the unexpired copy that answers a get, if any, and the objects that the policy evicted
  /// because of the hit.
  mutating func lookUp(
    _ request: Request, _ context: NaiveContext
  ) -> (copy: NaiveCopy, evicted: NaiveVictims)? {
    policy.follow(context.now)
    if dropExpired(request.id, now: context.now) { counts.expirations += 1 }
    guard let copy = copies[request.id] else { return nil }
    var reference = request
    reference.size = weight(copy.size)
    reference.cost = copy.cost
    reference.expires = copy.expires
    policy.hit(reference)
    return (copy, makeRoom(for: .none) { !$0.policy.overflows })
  }

  @discardableResult mutating func fill(_ request: Request, _ context: NaiveContext) -> Outcome {
    store(timed(request, context), version: context.version)
  }

  @discardableResult mutating func set(_ request: Request, _ context: NaiveContext) -> Outcome {
    set(timed(request, context), version: context.version, now: context.now)
  }
}
