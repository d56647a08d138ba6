extension Tier where Policy: ~Copyable {
  /// A get: whether the object is there to be used, which is then a reference to it. What is found
  /// expired is counted and removed, unless the tier leaves removing it to its caller.
  @inlinable
  @inline(__always)
  mutating func access(
    _ request: Request, now: UInt64, evicted: (ObjectID) -> Void
  ) -> CacheTier.Access {
    if Policy.followsTime { policy.follow(now) }
    guard policy.contains(request.id) else { return .absent }
    if isOver(request.id, now: now) {
      if !keepsExpired { remove(request.id) }
      counts.expirations += 1
      return .expired
    }
    hit(request, evicted: evicted)
    return .hit
  }

  /// Whether a resident object has expired, or was idle for too long.
  @inlinable
  @inline(__always)
  func isOver(_ id: ObjectID, now: UInt64) -> Bool {
    (mayExpire && expiries[id] <= now) || (Policy.idles && policy.hasIdled(id))
  }

  /// A resident object is requested. Its size, expiry and cost are those of the stored copy.
  @inlinable
  @inline(__always)
  mutating func hit(_ request: Request, evicted: (ObjectID) -> Void) {
    var request = request
    if Shape.weighs { request.size = sizes[request.id] }
    if mayExpire { request.expires = expiries[request.id] }
    if Shape.limits {
      if keepsCosts { request.cost = costs[request.id] }
      if let filter {
        request.fingerprint = fingerprints[request.id]
        filter.rule.requested(request)
      }
    }
    policy.hit(request, Shape.sizes(sizes))
    while policy.overflows { evict(for: .none, evicted) }
  }

  /// A set: stores an object or replaces its value. What is found expired is removed first, without
  /// being counted.
  @inlinable
  @inline(__always)
  mutating func set(
    _ request: Request, now: UInt64, evicted: (ObjectID) -> Void
  ) -> CacheTier.Stored {
    if Policy.followsTime { policy.follow(now) }
    if policy.contains(request.id) {
      if !isOver(request.id, now: now) {
        return replace(request, evicted: evicted) ? .replaced : .rejected
      }
      remove(request.id)
    }
    return store(request, evicted: evicted) ? .stored : .rejected
  }

  /// Stores an object that is not resident, and says whether it did.
  @inlinable
  @inline(__always)
  mutating func store(_ given: Request, evicted: (ObjectID) -> Void) -> Bool {
    let request = weighed(given)
    let size = Shape.weighs ? UInt64(request.size) : 1
    guard size <= capacity, passesFilter(request) else {
      counts.rejections += 1
      return false
    }
    guard policy.admit(request, Shape.sizes(sizes)) else {
      counts.rejections += 1
      while policy.overflows { evict(for: request, evicted) }
      return false
    }
    if Shape.limits {
      while count >= objectsMax { evict(for: request, evicted) }
      count += 1
    }
    while used + size > capacity || policy.isFull(for: request) {
      evict(for: request, evicted)
    }
    noteSize(request, value: given.size)
    if Shape.limits, filter != nil { fingerprints[request.id] = request.fingerprint }
    note(request)
    used += size
    counts.admissions += 1
    counts.bytesWritten += Shape.weighs ? UInt64(given.size) : 1
    policy.insert(request, Shape.sizes(sizes))
    return true
  }

  /// A request with what its value takes, where that is more than its size.
  @inlinable
  @inline(__always)
  func weighed(_ given: Request) -> Request {
    guard Shape.limits, Shape.weighs, let key = keyBytes else { return given }
    var request = given
    request.size = UInt32(
      clamping: Policy.entryBytes(value: UInt64(given.size), key: key))
    return request
  }

  /// Keeps what an object that is stored takes, and the size of its value where that is less.
  @inlinable
  @inline(__always)
  mutating func noteSize(_ request: Request, value: UInt32) {
    guard Shape.weighs else { return }
    sizes[request.id] = request.size
    if Shape.limits, keyBytes != nil { values[request.id] = value }
  }

  /// Whether the admission filter, where there is one, lets an object in.
  @inlinable
  @inline(__always)
  func passesFilter(_ request: Request) -> Bool {
    guard Shape.limits, let filter else { return true }
    filter.rule.requested(request)
    let size = Shape.weighs ? UInt64(request.size) : 1
    let isFull = used + size > capacity || count >= objectsMax
    let victim = filter.comparesVictims && isFull ? policy.victim : .none
    let isAdmitted = filter.rule.admits(
      request, victim: victim == .none ? nil : fingerprints[victim])
    return isAdmitted || isRestoring
  }

  /// Replaces the value of a resident object, and says whether the new one was accepted: what is
  /// larger than the capacity is removed instead.
  @inlinable
  mutating func replace(_ given: Request, evicted: (ObjectID) -> Void) -> Bool {
    let request = weighed(given)
    let (id, size) = (request.id, Shape.weighs ? UInt64(request.size) : 1)
    if Shape.limits, let filter { filter.rule.requested(request) }
    guard size <= capacity else {
      remove(id)
      counts.rejections += 1
      return false
    }
    policy.replace(request, Shape.sizes(sizes))
    if Shape.weighs {
      used = used - UInt64(sizes[id]) + size
      noteSize(request, value: given.size)
    }
    note(request)
    counts.bytesWritten += Shape.weighs ? UInt64(given.size) : 1
    while policy.overflows || used > capacity { evict(for: request, evicted) }
    return true
  }

  /// Keeps what must be known of a copy beside its size.
  @inlinable
  @inline(__always)
  mutating func note(_ request: Request) {
    if Shape.limits, keepsCosts { costs[request.id] = request.cost }
    noteExpiry(request.id, request.expires)
    setStale(request.id, false)
  }

  @inlinable
  @inline(__always)
  mutating func noteExpiry(_ id: ObjectID, _ expires: UInt64) {
    switch Shape.expiry {
    case .none: break
    case .lazy:
      if !hasExpiries {
        if expires == Request.noExpiry { return }
        beginExpiries()
      }
      // A real cache's gets may read it at the same time.
      expiries.storeShared(id, expires)
    case .column: expiries[id] = expires
    }
  }

  /// Makes room for expiries, which the first entry with one does, too.
  @inlinable
  @inline(never)
  mutating func beginExpiries() {
    if hasExpiries { return }
    hasExpiries = true
    expiries.reserve(objects: objects)
    for id in 0...objects { expiries[ObjectID(id)] = Request.noExpiry }
  }

  /// Gives a resident object another expiry without a reference to it: the policy hears of it only
  /// where it orders objects by their expiry.
  @inlinable
  mutating func renew(_ id: ObjectID, expires: UInt64) {
    noteExpiry(id, expires)
    guard Policy.description.needs.contains(.ttl) else { return }
    let request = Request(id: id, size: size(of: id), expires: expires, cost: cost(of: id))
    policy.replace(request, Shape.sizes(sizes))
  }

  /// Gives an object another expiry if it is resident and has not expired. Not a reference to it.
  @inlinable
  mutating func changeExpiry(_ id: ObjectID, to expires: UInt64, now: UInt64) {
    if policy.contains(id), !isOver(id, now: now) { renew(id, expires: expires) }
  }

  /// Gives up one object, of which there must be one, without counting it as evicted for want of
  /// room.
  @inlinable
  mutating func giveUp() -> ObjectID {
    let victim = policy.evict(for: .none, Shape.sizes(sizes))
    forget(victim)
    return victim
  }

  /// Removes whatever there is of the object, ghosts included.
  @inlinable
  mutating func remove(_ id: ObjectID) {
    if policy.contains(id) { forget(id) }
    policy.remove(id, Shape.sizes(sizes))
  }

  /// Gives up one object, of which there must be one, to make room for `request`.
  @inlinable
  @inline(__always)
  mutating func evict(for request: Request, _ evicted: (ObjectID) -> Void) {
    let victim = policy.evict(for: request, Shape.sizes(sizes))
    forget(victim)
    counts.evictions += 1
    evicted(victim)
  }

  /// An object is resident no longer.
  @inlinable
  @inline(__always)
  mutating func forget(_ id: ObjectID) {
    used -= Shape.weighs ? UInt64(sizes[id]) : 1
    if Shape.limits { count -= 1 }
  }
}
