import LarderEngine

extension HybridCache {
  /// Asks the origin for a value.
  public typealias Loader = @Sendable (OriginRequest<Key>) async throws -> OriginAnswer<Value>

  typealias Asking = HybridAsking<Key, Value>
  typealias Beginning = HybridBeginning<Key, Value>

  /// Looks a key up, on a thread of the cache's, and begins or joins a fetch as the strategy says.
  func begin(_ asking: Asking, _ load: @escaping Loader) async -> Beginning {
    let beginning = await lanes.run(stripes.number(asking.key)) { self.begin(asking) }
    // Here and not there: the fetch has the values of the requesting task.
    if let launch = beginning.launch {
      launch.flight.launch { await self.run(launch.flight, launch.request, load) }
      // What is fetched behind an answer.
      if beginning.hit != nil, let limit = configuration.refreshTimeout {
        launch.flight.limit(to: limit) { await self.endRefresh(launch.flight, asking.key) }
      }
    }
    return beginning
  }

  /// Ends a refresh that has taken too long: those who have come to wait for it get an error, or a
  /// stale value, and the next request asks anew.
  private func endRefresh(_ flight: CacheFlight<Value>, _ key: Key) async {
    await lanes.run(stripes.number(key)) {
      let error = HybridCacheError.refreshTimedOut(key: key.diskKey)
      self.land(flight, key, .failure(error), isCancelled: false)
    }
  }

  private func begin(_ asking: Asking) -> Beginning {
    let (key, strategy) = (asking.key, asking.strategy)
    let stripe = stripes[key]
    stripe.lock.lock()
    var operation = Operation(self, stripe)
    // Before memory is asked, which may remove it.
    var old = strategy == .cacheOnly ? nil : expired(memory?.expired(key)?.value)
    // Another request may have brought it meanwhile.
    let asksMemory = asking.asksMemory || memory?.contains(key) ?? false
    let found =
      (asking.known == nil ? nil : inMemory(key))
      ?? findOrTell(
        key, &operation, asksMemory: asksMemory, handsOutExpired: strategy != .cacheOnly)
    if found == nil, strategy != .cacheOnly {
      old = operation.outcome.expired.map { hit($0) } ?? old
    }
    // What memory held before the lock was taken may be answered. It may have been replaced or
    // removed since, so it is not what the origin is asked about.
    #if LARDER_SCHEDULES
      let isOutdated = ScheduleFault.planted == .outdatedCandidate
      let candidate = (isOutdated ? asking.known : nil) ?? found ?? old
    #else
      let candidate = found ?? old
    #endif
    let answer = asking.known ?? found
    old = old ?? expired(asking.expired)
    var beginning = Beginning(hit: answer, next: .answer(answer.map { .hit($0) } ?? .absent))
    switch strategy {
    case .cacheOnly: break
    case .cacheElseFetch where answer != nil: break
    case .cacheThenFetch where answer != nil || mayAnswer(old):
      beginning = answerThenFetch(asking, stripe, answer, old, candidate)
    case .cacheElseFetch, .cacheThenFetch, .fetch:
      beginning = fetch(asking, stripe, candidate)
    }
    if !stripe.victims.isEmpty { demoteVictims(stripe) }
    stripe.lock.unlock()
    finish()
    return beginning
  }

  /// Looks a key up; where disk fails listeners are told, and it counts as having nothing.
  private func findOrTell(
    _ key: Key, _ operation: inout Operation, asksMemory: Bool, handsOutExpired: Bool
  ) -> CacheHit<Value>? {
    do throws(HybridCacheError) {
      return try find(key, &operation, asksMemory: asksMemory, handsOutExpired: handsOutExpired)
    } catch {
      events.note(.failure(error), key, .disk)
      return nil
    }
  }

  /// What memory holds of a key, which was asked for before.
  private func inMemory(_ key: Key) -> CacheHit<Value>? {
    memory?.peek(key).flatMap { try? open($0) }
  }

  // MARK: What has expired

  /// What memory holds or held of a key that has expired.
  private func expired(_ held: HybridHeld<Value>?) -> CacheHit<Value>? {
    guard let held else { return nil }
    return (try? open(held))?.with(freshness: .stale)
  }

  /// Whether what has expired may be answered while it is refreshed.
  private func mayAnswer(_ old: CacheHit<Value>?) -> Bool {
    guard let old, !old.mustRevalidate, let limit = configuration.staleWhileRevalidate,
      limit > .zero
    else { return false }
    let now = clock.nowMicroseconds
    return now - min(now, old.expiry) <= limit.microseconds
  }

  /// Whether `cacheThenFetch` asks the origin for a value that it answers with: not while the
  /// lifetime lasts that the origin itself has given it.
  func needsRefresh(_ hit: CacheHit<Value>) -> Bool {
    if hit.expiry == Request.noExpiry { return true }
    // One that the origin has given is shorter than the cache's limit: see `lifetime`.
    guard let limit = disk == nil ? memoryAge : diskAge else { return false }
    return hit.lifetime.map { $0 >= limit } ?? true
  }

  // MARK: Fetching

  /// The answer is what the cache has, fresh or not, and the origin is asked behind it, about what
  /// the cache has now.
  private func answerThenFetch(
    _ asking: Asking, _ stripe: HybridStripe<Key, Value>, _ found: CacheHit<Value>?,
    _ old: CacheHit<Value>?, _ candidate: CacheHit<Value>?
  ) -> Beginning {
    let hit = found ?? old
    let answer = Beginning(hit: hit, next: .answer(hit.map { .hit($0) } ?? .absent))
    if found == nil {
      stripe.totals.staleHits += 1
      events.note(.staleHit, asking.key, hit?.tier)
    } else if let found, !needsRefresh(found) {
      return answer
    }
    if isOwnLoader(asking, stripe) { return answer }
    if asking.waitsForRefresh {
      var beginning = fetch(asking, stripe, candidate)
      beginning.hit = hit
      return beginning
    }
    guard underWay(asking.key, stripe) == nil else { return answer }
    var beginning = answer
    beginning.launch = start(asking.key, stripe, candidate, isBackground: true)
    return beginning
  }

  /// The origin's answer is waited for.
  private func fetch(
    _ asking: Asking, _ stripe: HybridStripe<Key, Value>, _ candidate: CacheHit<Value>?
  ) -> Beginning {
    if isOwnLoader(asking, stripe) {
      let error = HybridCacheError.loadsItself(key: asking.key.diskKey)
      return Beginning(next: .answer(.failure(error)))
    }
    if let flight = underWay(asking.key, stripe), flight.join() {
      stripe.totals.joined += 1
      return Beginning(next: .wait(flight))
    }
    let launch = start(asking.key, stripe, candidate, isBackground: false)
    _ = launch.flight.join()
    return Beginning(next: .wait(launch.flight), launch: launch)
  }

  /// Whether a request comes from the loader of its own key, and must not wait for that.
  private func isOwnLoader(_ asking: Asking, _ stripe: HybridStripe<Key, Value>) -> Bool {
    stripe.flights[asking.key]?.mark.isOne(of: asking.marks) ?? false
  }

  /// The fetch of a key that is under way. One that nobody wants any more is not.
  private func underWay(
    _ key: Key, _ stripe: HybridStripe<Key, Value>
  ) -> CacheFlight<Value>? {
    guard let flight = stripe.flights[key], !flight.isAbandoned else { return nil }
    return flight
  }

  private func start(
    _ key: Key, _ stripe: HybridStripe<Key, Value>, _ candidate: CacheHit<Value>?,
    isBackground: Bool
  ) -> Beginning.Launch {
    let flight = CacheFlight(
      candidate: candidate.map { ownCopy(of: $0) }, isBackground: isBackground)
    stripe.flights[key] = flight
    stripe.totals.fetches += 1
    return Beginning.Launch(
      flight: flight,
      request: OriginRequest(
        key: key, version: candidate?.version,
        created: candidate?.created, isBackground: isBackground))
  }

  /// What a fetch keeps of what its request is given, which may be changed by whoever has it.
  private func ownCopy(of hit: CacheHit<Value>) -> CacheHit<Value> {
    guard configuration.copiesOnRead, let data = try? codec.encode(hit.value) else { return hit }
    return hit.with(value: try? codec.decode(data))
  }

  private func run(
    _ flight: CacheFlight<Value>, _ request: OriginRequest<Key>, _ load: Loader
  ) async {
    let answer: Result<OriginAnswer<Value>, any Error>
    do {
      let marks = FetchMark.current + [flight.mark]
      answer = .success(
        try await FetchMark.$current.withValue(marks) { try await load(request) })
    } catch {
      answer = .failure(error)
    }
    let isCancelled = Task.isCancelled
    await lanes.run(stripes.number(request.key)) {
      self.land(flight, request.key, answer, isCancelled: isCancelled)
    }
  }

  /// Waits for a fetch that was joined.
  func wait(_ key: Key, for flight: CacheFlight<Value>) async -> CacheResult<Value> {
    let result = await flight.wait()
    guard configuration.copiesOnRead, result.value != nil, let data = flight.data else {
      return result
    }
    let copy = await lanes.run(stripes.number(key)) { try? self.codec.decode(data) }
    guard let copy else { return result }
    if case .hit(let hit) = result { return .hit(hit.with(value: copy)) }
    return .miss(copy)
  }
}
