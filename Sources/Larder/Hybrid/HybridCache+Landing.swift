import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the origin's answer does to the cache.
extension HybridCache {
  /// Stores what a fetch has brought, unless it was overtaken, and tells all who wait.
  func land(
    _ flight: CacheFlight<Value>, _ key: Key,
    _ answer: Result<OriginAnswer<Value>, any Error>, isCancelled: Bool
  ) {
    let item = item(key, answer, flight)
    let data = configuration.copiesOnRead ? bytes(of: item, answer, flight) : nil
    let stripe = stripes[key]
    stripe.lock.lock()
    if flight.isFinished { return stripe.lock.unlock() }
    var operation = Operation(self, stripe)
    let isFirst = stripe.flights[key] === flight
    if isFirst { stripe.flights[key] = nil }
    // What nobody wants any more is not stored either.
    let isCurrent = isFirst && !flight.isAbandoned
    let result =
      switch answer {
      case .success(let answer): settle(flight, item, &operation, answer, isCurrent: isCurrent)
      case .failure(let error) where isCancelled || error is CancellationError:
        cancelled(error, flight, item, stripe)
      case .failure(let error): fail(error, flight, item, stripe)
      }
    let waiters = flight.finish(result, data)
    if case .hit(let hit) = result, hit.freshness == .stale {
      stripe.totals.staleAnswers += UInt64(waiters.count)
    }
    if let failure = operation.outcome.failure { events.note(.failure(failure), key, .disk) }
    if !stripe.victims.isEmpty { demoteVictims(stripe) }
    stripe.lock.unlock()
    for waiter in waiters { waiter.resume(returning: result) }
    finish()
  }

  /// What is to be stored; a value that cannot be encoded is told of, and is not stored.
  private func item(
    _ key: Key, _ answer: Result<OriginAnswer<Value>, any Error>, _ flight: CacheFlight<Value>
  ) -> HybridItem<Key, Value> {
    var item = item(key)
    switch answer {
    case .success(.value(let value, let version, let maxAge, let contentType, let fetchCost)),
      .success(
        .mustRevalidate(let value, let version, let maxAge, let contentType, let fetchCost)):
      item.value = value
      item.options = StoreOptions(
        timeToLive: maxAge.map(lifetime), version: version, contentType: contentType,
        fetchCost: fetchCost)
      if case .success(.mustRevalidate) = answer { item.options.mustRevalidate = true }
    case .success(.unstored(let value)):
      item.value = value
    case .success(.notModified(let version, let maxAge)):
      item.value = flight.candidate?.value
      // An origin that does not say for how long means: as long as before.
      item.options = StoreOptions(
        timeToLive: maxAge.map(lifetime) ?? flight.candidate?.lifetime,
        version: version ?? flight.candidate?.version,
        contentType: flight.candidate?.contentType,
        isPermanent: flight.candidate?.isPermanent ?? false)
      item.options.mustRevalidate = flight.candidate?.mustRevalidate ?? false
    case .success(.absent), .failure: return item
    }
    guard encodesEarly, let value = item.value else { return item }
    do throws(HybridCacheError) {
      item.data = try encode(value)
    } catch {
      item.value = nil
      events.note(.failure(error), key, nil)
    }
    return item
  }

  /// The life of an entry by its origin's `maxAge`. One that is as long as the cache's limit, or
  /// longer, ends a microsecond before it, so that `needsRefresh` can tell it from the limit.
  private func lifetime(_ maxAge: Duration) -> Duration {
    guard !isSimulated, let limit = disk == nil ? memoryAge : diskAge, maxAge >= limit else {
      return maxAge
    }
    return limit - .microseconds(1)
  }

  /// What those who wait are to decode for themselves; nil if the origin's value has no bytes.
  private func bytes(
    of item: HybridItem<Key, Value>, _ answer: Result<OriginAnswer<Value>, any Error>,
    _ flight: CacheFlight<Value>
  ) -> Data? {
    switch answer {
    case .success(.value), .success(.mustRevalidate), .success(.unstored): return item.data
    case .success(.notModified), .success(.absent), .failure: break
    }
    return item.data ?? flight.candidate.flatMap { try? codec.encode($0.value) }
  }

  private func settle(
    _ flight: CacheFlight<Value>, _ item: HybridItem<Key, Value>,
    _ operation: inout Operation, _ answer: OriginAnswer<Value>, isCurrent: Bool
  ) -> CacheResult<Value> {
    let isBackground = flight.isBackground
    switch answer {
    case .value(let value, _, _, _, _), .mustRevalidate(let value, _, _, _, _):
      events.note(.fetch(isBackground: isBackground), item.key, nil)
      if isCurrent, item.value != nil {
        _ = store(item, &operation, isFill: flight.candidate == nil)
      }
      return .miss(value)
    case .unstored(let value):
      events.note(.fetch(isBackground: isBackground), item.key, nil)
      if isCurrent { removeUnstored(item, &operation) }
      return .miss(value)
    case .notModified:
      guard let candidate = flight.candidate else {
        return fail(
          HybridCacheError.notModifiedUnasked(key: item.key.diskKey), flight, item, operation.stripe
        )
      }
      operation.stripe.totals.notModified += 1
      events.note(.notModified(isBackground: isBackground), item.key, nil)
      if isCurrent, item.value != nil { renew(item, &operation) }
      return .hit(renewed(candidate, item))
    case .absent:
      events.note(.absent(isBackground: isBackground), item.key, nil)
      if isCurrent { removeUnstored(item, &operation) }
      return .absent
    }
  }

  /// Removes what the cache has of a key for which the origin gave nothing to store.
  private func removeUnstored(_ item: HybridItem<Key, Value>, _ operation: inout Operation) {
    rules.delete(item, in: &operation)
    noteRemoval(item.key, item.now)
  }

  /// The fetch was cancelled, by those who wanted it or by its loader: that is no failure of the
  /// origin.
  private func cancelled(
    _ error: any Error, _ flight: CacheFlight<Value>, _ item: HybridItem<Key, Value>,
    _ stripe: HybridStripe<Key, Value>
  ) -> CacheResult<Value> {
    stripe.totals.cancelled += 1
    return standIn(for: error, flight, item)
  }

  /// The origin has failed: what the cache had stands in where it may.
  private func fail(
    _ error: any Error, _ flight: CacheFlight<Value>, _ item: HybridItem<Key, Value>,
    _ stripe: HybridStripe<Key, Value>
  ) -> CacheResult<Value> {
    stripe.totals.failures += 1
    if flight.isBackground { stripe.totals.backgroundFailures += 1 }
    events.note(.fetchFailure(error, isBackground: flight.isBackground), item.key, nil)
    return standIn(for: error, flight, item)
  }

  private func standIn(
    for error: any Error, _ flight: CacheFlight<Value>, _ item: HybridItem<Key, Value>
  ) -> CacheResult<Value> {
    guard let limit = configuration.staleIfError, let hit = flight.candidate, !flight.isAbandoned,
      hit.expiry == .max || item.now <= hit.expiry
        || !hit.mustRevalidate && item.now - hit.expiry <= limit.microseconds
    else { return .failure(error) }
    events.note(.staleAnswer, item.key, hit.tier)
    return .hit(hit.with(freshness: .stale))
  }

  /// Gives the entry of a key a new life in both tiers, without writing its value to disk again
  /// where it is still there.
  private func renew(_ item: HybridItem<Key, Value>, _ operation: inout Operation) {
    if operation.stripe.dirty[item.key] != nil { writeDirty(item.key, &operation) }
    let places = rules.mayTake(life: operation.life(item))
    let isInMemory = memory?.contains(item.key) ?? false
    let isOnDisk = places.disk && renewOnDisk(item, &operation)
    guard isOnDisk || isInMemory else {
      // Given up meanwhile: the value that was read then is stored like one that was fetched.
      _ = store(item, &operation, isFill: false)
      return
    }
    noteStore(item)
    if !places.disk { operation.removeFromDisk(item) }
    if !places.memory {
      operation.removeFromMemory(item)
    } else if isInMemory || rules.inclusion == .inclusive && rules.promotion != .never {
      _ = operation.putInMemory(item)
    } else {
      memory?.removeExpired(item.key)
    }
  }

  private func renewOnDisk(
    _ item: HybridItem<Key, Value>, _ operation: inout Operation
  ) -> Bool {
    guard let diskTier else { return false }
    do throws(DiskCacheError) {
      return try diskTier.renew(
        item.diskKey, expires: item.expiry(limit: diskAge), version: item.options.version)
    } catch {
      operation.outcome.fail(.disk(error))
      return false
    }
  }

  private func renewed(
    _ candidate: CacheHit<Value>, _ item: HybridItem<Key, Value>
  ) -> CacheHit<Value> {
    CacheHit(
      candidate.value, candidate.tier, created: item.now,
      HybridNote(
        created: item.now, expires: item.expiry(limit: disk == nil ? memoryAge : diskAge),
        version: item.options.version, contentType: item.options.contentType,
        isPermanent: item.options.isPermanent, mustRevalidate: item.options.mustRevalidate),
      freshness: .revalidated)
  }
}
