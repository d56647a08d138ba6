import LarderEngine

extension HybridCache {
  /// Asks the origin for a value.
  public typealias Loader = @Sendable (OriginRequest<Key>) async throws -> OriginAnswer<Value>

  /// What a request begins with.
  enum Beginning {
    /// There is an answer.
    case answer(CacheResult<Value>)
    /// The answer of a fetch is to be waited for.
    case wait(HybridFlight<Value>)
  }

  /// Looks a key up and begins or joins a fetch as the strategy says. With `waitsForRefresh` the
  /// result of a refresh is waited for, too, and what the cache has comes beside it. `asksMemory`
  /// is false where memory has been asked and has nothing.
  func begin(
    _ key: Key, _ strategy: CacheStrategy, asksMemory: Bool = true,
    waitsForRefresh: Bool = false, _ load: @escaping Loader
  ) -> (hit: CacheHit<Value>?, Beginning) {
    let stripe = stripes[key]
    stripe.lock.lock()
    stripe.begin()
    // Another request may have brought it meanwhile.
    let asksMemory = asksMemory || memory?.contains(key) ?? false
    let hit = findOrTell(
      key, stripe, asksMemory: asksMemory, acceptsExpired: strategy != .cacheOnly)
    let beginning: Beginning
    switch strategy {
    case .cacheOnly:
      beginning = .answer(hit.map { .hit($0) } ?? .absent)
    case .cacheElseFetch where hit != nil, .cacheThenFetch where hit != nil && !waitsForRefresh:
      if strategy == .cacheThenFetch, stripe.flights[key] == nil {
        _ = start(key, stripe, hit, isBackground: true, load)
      }
      beginning = .answer(hit.map { .hit($0) } ?? .absent)
    case .cacheElseFetch, .cacheThenFetch, .fetch:
      beginning = .wait(join(key, stripe, hit ?? stripe.expired.map { self.hit($0) }, load))
    }
    if !stripe.victims.isEmpty { demoteVictims(stripe) }
    stripe.lock.unlock()
    finish()
    return (hit, beginning)
  }

  /// Looks a key up; where disk fails listeners are told, and it counts as having nothing.
  private func findOrTell(
    _ key: Key, _ stripe: HybridStripe<Key, Value>, asksMemory: Bool, acceptsExpired: Bool
  ) -> CacheHit<Value>? {
    do throws(HybridCacheError) {
      return try find(key, stripe, asksMemory: asksMemory, acceptsExpired: acceptsExpired)
    } catch {
      events.note(.failure(error), key, .disk)
      return nil
    }
  }

  private func join(
    _ key: Key, _ stripe: HybridStripe<Key, Value>, _ candidate: CacheHit<Value>?,
    _ load: @escaping Loader
  ) -> HybridFlight<Value> {
    let flight: HybridFlight<Value>
    if let underWay = stripe.flights[key] {
      stripe.totals.joined += 1
      flight = underWay
    } else {
      flight = start(key, stripe, candidate, isBackground: false, load)
    }
    flight.interested += 1
    return flight
  }

  private func start(
    _ key: Key, _ stripe: HybridStripe<Key, Value>, _ candidate: CacheHit<Value>?,
    isBackground: Bool, _ load: @escaping Loader
  ) -> HybridFlight<Value> {
    let flight = HybridFlight(
      candidate: candidate.map { ownCopy(of: $0) }, isBackground: isBackground)
    stripe.flights[key] = flight
    stripe.totals.fetches += 1
    let request = OriginRequest(
      key: key, version: candidate?.version,
      createdMicroseconds: candidate?.createdMicroseconds, isBackground: isBackground)
    flight.task = Task { await self.run(flight, request, load) }
    return flight
  }

  /// What a fetch keeps of what its request is given, which may be changed by whoever has it.
  private func ownCopy(of hit: CacheHit<Value>) -> CacheHit<Value> {
    guard configuration.copiesOnRead, let data = try? codec.encode(hit.value) else { return hit }
    return hit.with(value: try? codec.decode(data))
  }

  private func run(
    _ flight: HybridFlight<Value>, _ request: OriginRequest<Key>, _ load: Loader
  ) async {
    let answer: Result<OriginAnswer<Value>, any Error>
    do {
      answer = .success(try await load(request))
    } catch {
      answer = .failure(error)
    }
    land(flight, request.key, answer)
  }

  /// Waits for a fetch that was joined. A wait that is cancelled ends at once with a
  /// `CancellationError`.
  func wait(_ key: Key, for flight: HybridFlight<Value>) async -> CacheResult<Value> {
    let waiter = HybridWaiter<Value>()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        enlist(waiter, continuation, key, flight)
      }
    } onCancel: {
      cancel(waiter, key, flight)
    }
    guard configuration.copiesOnRead, result.value != nil else { return result }
    // There is a value, so the fetch is done and nobody writes to it any more.
    guard let data = flight.data, let value = try? codec.decode(data) else { return result }
    if case .hit(let hit) = result { return .hit(hit.with(value: value)) }
    return .miss(value)
  }

  private func enlist(
    _ waiter: HybridWaiter<Value>,
    _ continuation: CheckedContinuation<CacheResult<Value>, Never>, _ key: Key,
    _ flight: HybridFlight<Value>
  ) {
    let stripe = stripes[key]
    stripe.lock.lock()
    let result = waiter.isCancelled ? .failure(CancellationError()) : flight.result
    if result == nil {
      waiter.continuation = continuation
      flight.waiters.append(waiter)
    }
    stripe.lock.unlock()
    if let result { continuation.resume(returning: result) }
  }

  private func cancel(
    _ waiter: HybridWaiter<Value>, _ key: Key, _ flight: HybridFlight<Value>
  ) {
    let stripe = stripes[key]
    stripe.lock.lock()
    let continuation = waiter.continuation
    waiter.continuation = nil
    waiter.isCancelled = true
    flight.interested -= 1
    var task: Task<Void, Never>?
    if flight.interested == 0, !flight.isBackground, flight.result == nil {
      // Nobody wants it any more; who comes now begins anew.
      if stripe.flights[key] === flight { stripe.flights[key] = nil }
      task = flight.task
    }
    stripe.lock.unlock()
    // Without the lock: either may run code that uses the cache.
    continuation?.resume(returning: .failure(CancellationError()))
    task?.cancel()
  }
}
