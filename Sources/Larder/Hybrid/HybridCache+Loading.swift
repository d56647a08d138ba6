import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension HybridCache {
  /// Returns the value of a key, from the cache or from the origin according to the strategy. A
  /// value is stored for `maxAge`, or as long as the limits allow.
  ///
  /// Concurrent requests for a key share one load, which is cancelled with the last of them.
  ///
  /// - Throws: The error of `load`, unless a stale value may be returned; `LoadError`;
  ///   `CancellationError`.
  public func value(
    for key: Key, strategy: CacheStrategy? = nil, maxAge: Duration? = nil,
    load: @escaping @Sendable (OriginRequest<Key>) async throws -> Value
  ) async throws -> Value {
    let result = await result(for: key, strategy: strategy) { request in
      .value(try await load(request), maxAge: maxAge)
    }
    guard let value = try result.get() else { throw LoadError.absent(key: key.diskKey) }
    return value
  }

  /// Returns the value of a key and its source: `value(for:)` with all responses that an origin may
  /// give. The origin receives the cached version, and may respond that it has not changed, how
  /// long a value is valid, or that there is none. A failing disk counts as empty, and listeners
  /// are notified.
  public func result(
    for key: Key, strategy: CacheStrategy? = nil, load: @escaping Loader
  ) async -> CacheResult<Value> {
    var request = Fetch(key: key, strategy: strategy ?? configuration.strategy)
    if Task.isCancelled { return .failure(CancellationError()) }
    if let hit = answerFromMemory(&request) { return .hit(hit) }
    let begun = await begin([request]) { requests in
      try await [key: load(requests[0])]
    }
    return await end(begun[0])
  }

  /// Returns the values of several keys, without keys that have none. `load` is called at most
  /// once, with the keys for which the origin has to be asked and that nobody is loading. Throws
  /// the first error by the order of the keys. Otherwise works like `value(for:load:)`.
  public func values(
    for keys: some Sequence<Key>, strategy: CacheStrategy? = nil, maxAge: Duration? = nil,
    load: @escaping @Sendable ([Key]) async throws -> [Key: Value]
  ) async throws -> [Key: Value] {
    let keys = Array(keys)
    let results = await results(for: keys, strategy: strategy) { requests in
      try await load(requests.map(\.key)).mapValues { .value($0, maxAge: maxAge) }
    }
    var values: [Key: Value] = [:]
    values.reserveCapacity(results.count)
    for key in keys { values[key] = try results[key]?.get() }
    return values
  }

  /// Returns the values of several keys and their sources: `values(for:load:)` with all responses
  /// that an origin may give. `load` is called once more if `notModified` had another version.
  public func results(
    for keys: some Sequence<Key>, strategy: CacheStrategy? = nil, load: @escaping BulkLoader
  ) async -> [Key: CacheResult<Value>] {
    var results: [Key: CacheResult<Value>] = [:]
    var requests: [Fetch] = []
    var seen: Set<Key> = []
    for key in keys where seen.insert(key).inserted {
      var request = Fetch(key: key, strategy: strategy ?? configuration.strategy)
      if let hit = answerFromMemory(&request) {
        results[key] = .hit(hit)
      } else {
        requests.append(request)
      }
    }
    if Task.isCancelled {
      return seen.reduce(into: [:]) { $0[$1] = .failure(CancellationError()) }
    }
    for begun in await begin(requests, load) { results[begun.key] = await end(begun) }
    return results
  }

  /// Asks memory without a lock, if it answers hits so; returns the value if it answers the
  /// request.
  func answerFromMemory(_ request: inout Fetch) -> CacheHit<Value>? {
    let (key, strategy) = (request.key, request.strategy)
    guard strategy != .fetch, let front else { return nil }
    // Before the get, which may remove it.
    if strategy == .cacheThenFetch { request.expired = memory?.expired(key)?.value }
    let held = front._withUnsafeGuaranteedRef { $0.value(for: key) }
    if let held, let hit = try? hit(held, key) {
      if strategy != .cacheThenFetch || !needsRefresh(hit) { return hit }
      request.known = hit
    }
    request.asksMemory = false
    return nil
  }

  /// Returns the cached value first, if any, and then the result of a refresh, unless the origin's
  /// `maxAge` has not passed. The request begins with the iteration, and is cancelled when that
  /// ends.
  public func updates(
    for key: Key, load: @escaping Loader
  ) -> AsyncStream<CacheResult<Value>> {
    let updates = HybridUpdates<Value> { continuation in
      let task = Task {
        await self.sendUpdates(for: key, load: load) { _ = continuation.yield($0) }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
    return AsyncStream(unfolding: { await updates.next() })
  }

  package func sendUpdates(
    for key: Key, load: @escaping Loader, to send: (CacheResult<Value>) -> Void
  ) async {
    let request = Fetch(key: key, strategy: .cacheThenFetch, waitsForRefresh: true)
    let begun = await begin([request]) { requests in
      try await [key: load(requests[0])]
    }[0]
    if let hit = begun.start.hit {
      send(.hit(hit))
      if case .answer = begun.start.next { return }
    }
    send(await end(begun))
  }
}

/// A stream whose source starts with the first read and ends when this object is destroyed.
final class HybridUpdates<Value: Sendable>: @unchecked Sendable {
  private typealias Stream = AsyncStream<CacheResult<Value>>

  private let begin: @Sendable (AsyncStream<CacheResult<Value>>.Continuation) -> Void
  // One reader at a time, as for every stream.
  private var iterator: Stream.Iterator?

  /// Creates a stream to which `begin` sends.
  init(_ begin: @escaping @Sendable (AsyncStream<CacheResult<Value>>.Continuation) -> Void) {
    self.begin = begin
  }

  func next() async -> CacheResult<Value>? {
    var reader = iterator ?? Stream(bufferingPolicy: .unbounded, begin).makeAsyncIterator()
    iterator = reader
    return await reader.next()
  }
}

struct FetchRequest<Key: DiskKeyRepresentable, Value: Sendable>: Sendable {
  let key: Key
  let strategy: CacheStrategy
  var asksMemory = true
  var known: CacheHit<Value>?
  var expired: MemoryRecord<Value>?
  /// True if the request also waits for the result of a refresh.
  var waitsForRefresh = false
  let marks = FetchMark.current
}

struct FetchStart<Key: DiskKeyRepresentable, Value: Sendable>: Sendable {
  struct Launch: Sendable {
    let flight: CacheFlight<Value>
    var isRefresh: Bool
    let request: OriginRequest<Key>
  }

  enum Next: Sendable {
    case answer(CacheResult<Value>)
    case wait(CacheFlight<Value>)
  }

  var hit: CacheHit<Value>?
  var next: Next
  var launch: Launch?
}

extension HybridCache {
  /// A function that asks the origin for a value.
  public typealias Loader = @Sendable (OriginRequest<Key>) async throws -> OriginAnswer<Value>

  /// A function that asks the origin for the values of several keys. Keys that its result lacks
  /// have no value.
  public typealias BulkLoader =
    @Sendable ([OriginRequest<Key>]) async throws -> [Key: OriginAnswer<Value>]

  typealias Fetch = FetchRequest<Key, Value>
  typealias Start = FetchStart<Key, Value>

  /// Looks keys up, and starts one call of a loader for those for which the origin has to be asked
  /// and nobody is asking it.
  private func begin(
    _ requests: [Fetch], _ load: @escaping BulkLoader
  ) async -> [(key: Key, start: Start)] {
    let leader = CacheFlight<Void>(candidate: nil, isBackground: false)
    let begun = await lanes.run(requests, by: { self.stripes.number($0.key) }) { requests in
      requests.map { ($0.key, self.begin($0, leader)) }
    }.joined()
    for (_, start) in begun where start.launch == nil {
      if case .wait(let flight) = start.next { queue?.hurry(flight.mark) }
    }
    // Launched here instead of in a lane: the load inherits the task-local values of the task.
    let launches = begun.compactMap(\.1.launch)
    if !launches.isEmpty { launch(launches, leader, load) }
    return Array(begun)
  }

  private func launch(
    _ launches: [Start.Launch], _ leader: CacheFlight<Void>, _ load: @escaping BulkLoader
  ) {
    // One in the background, behind a result, has another limit than the request's own.
    let isRefresh = launches.allSatisfy(\.isRefresh)
    leader.launch(
      queue, limit: configuration.loadTimeout ?? (isRefresh ? .seconds(60) : nil)
    ) {
      try await OriginRequest.answers(to: launches.map(\.request), load)
    } land: { end in
      let number: (Start.Launch) -> Int = { self.stripes.number($0.request.key) }
      _ = await self.lanes.run(launches, by: number) { launches in
        for launch in launches {
          let key = launch.request.key
          let answer: Result<OriginAnswer<Value>, any Error> =
            switch end {
            case .loaded(let answers): .success(answers[key] ?? .absent)
            case .failed(let error): .failure(error)
            case .timedOut(let hasBegun):
              .failure(LoadError.timeOut(key.diskKey, hasBegun: hasBegun))
            }
          self.land(launch.flight, key, answer)
        }
      }
    }
  }

  private func end(_ begun: (key: Key, start: Start)) async -> CacheResult<Value> {
    let flight: CacheFlight<Value>
    switch begun.start.next {
    case .answer(let result): return result
    case .wait(let running): flight = running
    }
    let result = await flight.wait()
    guard configuration.copiesOnRead, result.value != nil, let data = flight.data else {
      return result
    }
    let copy = await lanes.run(stripes.number(begun.key)) { try? self.codec.decode(data) }
    guard let copy else { return result }
    if case .hit(let hit) = result { return .hit(hit.with(value: copy)) }
    return .miss(copy)
  }

  private func begin(_ request: Fetch, _ leader: CacheFlight<Void>) -> Start {
    let (key, strategy) = (request.key, request.strategy)
    let begun = holding(stripes[key]) { operation -> Begun in
      if strategy != .fetch, strategy != .cacheOnly, absences.contains(key) {
        operation.stripe.loads.negativeHits += 1
        return (Start(next: .answer(.absent)), nil, nil)
      }
      return begin(request, leader, &operation)
    }
    finish()
    // The values that it does not return may call the cache when they are destroyed.
    return begun.start
  }

  private typealias Begun = (start: Start, candidate: CacheHit<Value>?, old: CacheHit<Value>?)

  private func begin(
    _ request: Fetch, _ leader: CacheFlight<Void>, _ operation: inout Operation
  ) -> Begun {
    let (key, strategy, stripe) = (request.key, request.strategy, operation.stripe)
    // Before memory is asked, which may remove it.
    var old = strategy == .cacheOnly ? nil : expired(memory?.expired(key)?.value)
    // Another request may have stored it meanwhile.
    let asksMemory = request.asksMemory || memory?.contains(key) ?? false
    let found =
      (request.known == nil ? nil : inMemory(key))
      ?? findOrTell(
        key, &operation, asksMemory: asksMemory, handsOutExpired: strategy != .cacheOnly)
    if found == nil, strategy != .cacheOnly {
      old = operation.outcome.expired.map { hit($0) } ?? old
    }
    // A value that memory held before the lock was taken may be returned. It may have been replaced
    // or removed since, so it is not used to revalidate.
    let candidate = found ?? old
    let answer = request.known ?? found
    old = old ?? expired(request.expired)
    var start = Start(hit: answer, next: .answer(answer.map { .hit($0) } ?? .absent))
    switch strategy {
    case .cacheOnly: break
    case .cacheElseFetch where answer != nil: break
    case .cacheThenFetch where answer != nil || mayAnswer(old):
      start = answerThenFetch(request, leader, stripe, answer, old, candidate)
    case .cacheElseFetch, .cacheThenFetch, .fetch:
      start = fetch(request, leader, stripe, candidate)
    }
    return (start, candidate, old)
  }

  /// Looks a key up; if the disk fails, notifies listeners and treats it as empty.
  private func findOrTell(
    _ key: Key, _ operation: inout Operation, asksMemory: Bool, handsOutExpired: Bool
  ) -> CacheHit<Value>? {
    do throws(HybridCacheError) {
      let found = try find(
        key, &operation, asksMemory: asksMemory, handsOutExpired: handsOutExpired)
      // A failed promotion: the request has its value nevertheless.
      if let failure = operation.outcome.failure { events.note(.failure(failure), key, .disk) }
      return found
    } catch {
      events.note(.failure(error), key, .disk)
      return nil
    }
  }

  func inMemory(_ key: Key) -> CacheHit<Value>? { memory?.peek(key).flatMap { try? open($0) } }

  // MARK: Expired entries

  private func expired(_ held: MemoryRecord<Value>?) -> CacheHit<Value>? {
    guard let held else { return nil }
    return (try? open(held))?.with(freshness: .stale)
  }

  private func mayAnswer(_ old: CacheHit<Value>?) -> Bool {
    guard let old, !old.mustRevalidate, let limit = configuration.staleWhileRevalidate,
      limit > .zero
    else { return false }
    let now = clock.time
    return old.expiry.overdue(at: now) <= limit.microseconds
  }

  /// True if `cacheThenFetch` refreshes a value that it returns: not during the lifetime that the
  /// origin itself has given it.
  func needsRefresh(_ hit: CacheHit<Value>) -> Bool {
    if hit.expiry == .never { return true }
    // A lifetime from the origin is shorter than the cache's limit: see `lifetime`.
    guard let limit = age else { return false }
    return hit.lifetime.map { $0 >= limit } ?? true
  }

  // MARK: Fetching

  /// Returns the cached value, fresh or not, and asks the origin in the background, with the
  /// version that the cache has now.
  private func answerThenFetch(
    _ request: Fetch, _ leader: CacheFlight<Void>, _ stripe: HybridStripe<Key, Value>,
    _ found: CacheHit<Value>?, _ old: CacheHit<Value>?, _ candidate: CacheHit<Value>?
  ) -> Start {
    let hit = found ?? old
    let answer = Start(hit: hit, next: .answer(hit.map { .hit($0) } ?? .absent))
    if found == nil {
      stripe.loads.staleWhileRevalidate += 1
      events.note(.staleHit, request.key, hit?.tier)
    } else if let found, !needsRefresh(found) {
      return answer
    }
    if isOwnLoader(request, stripe) { return answer }
    if request.waitsForRefresh {
      var start = fetch(request, leader, stripe, candidate)
      start.hit = hit
      start.launch?.isRefresh = true
      return start
    }
    guard underWay(request.key, stripe) == nil else { return answer }
    var start = answer
    start.launch = self.launch(request, leader, stripe, candidate, isBackground: true)
    return start
  }

  private func fetch(
    _ request: Fetch, _ leader: CacheFlight<Void>, _ stripe: HybridStripe<Key, Value>,
    _ candidate: CacheHit<Value>?
  ) -> Start {
    if isOwnLoader(request, stripe) {
      let error = LoadError.loadsItself(key: request.key.diskKey)
      return Start(next: .answer(.failure(error)))
    }
    if let flight = underWay(request.key, stripe), flight.join() {
      stripe.loads.joined += 1
      return Start(next: .wait(flight))
    }
    let launch = self.launch(request, leader, stripe, candidate, isBackground: false)
    _ = launch.flight.join()
    return Start(next: .wait(launch.flight), launch: launch)
  }

  private func isOwnLoader(_ request: Fetch, _ stripe: HybridStripe<Key, Value>) -> Bool {
    stripe.flights[request.key]?.mark.isOne(of: request.marks) ?? false
  }

  private func underWay(
    _ key: Key, _ stripe: HybridStripe<Key, Value>
  ) -> CacheFlight<Value>? {
    guard let flight = stripe.flights[key], !flight.isAbandoned else { return nil }
    return flight
  }

  private func launch(
    _ request: Fetch, _ leader: CacheFlight<Void>, _ stripe: HybridStripe<Key, Value>,
    _ candidate: CacheHit<Value>?, isBackground: Bool
  ) -> Start.Launch {
    let flight = CacheFlight(
      candidate: candidate.map { ownCopy(of: $0) }, isBackground: isBackground, leader: leader)
    // The call of the loader continues while one of its keys is wanted.
    _ = leader.join()
    stripe.flights[request.key] = flight
    stripe.loads.started += 1
    if isBackground { stripe.loads.refreshes += 1 }
    return Start.Launch(
      flight: flight, isRefresh: isBackground,
      request: OriginRequest(
        key: request.key, version: candidate?.version,
        created: candidate?.created, isBackground: isBackground))
  }

  /// Copy of a hit for a fetch, because the receiver of the hit may modify its value.
  private func ownCopy(of hit: CacheHit<Value>) -> CacheHit<Value> {
    guard configuration.copiesOnRead, let data = try? codec.encode(hit.value) else { return hit }
    return hit.with(value: try? codec.decode(data))
  }
}

extension HybridCache {
  func land(
    _ flight: CacheFlight<Value>, _ key: Key,
    _ answer: Result<OriginAnswer<Value>, any Error>
  ) {
    let item = item(key, answer, flight)
    let data = configuration.copiesOnRead ? bytes(of: item, answer, flight) : nil
    let landed = holding(stripes[key]) { operation in
      flight.isFinished ? nil : land(flight, item, data, &operation, answer)
    }
    guard let landed else { return finish() }
    for waiter in landed.waiters { waiter.resume(returning: landed.result) }
    finish()
  }

  private typealias Landed = (
    result: CacheResult<Value>, waiters: [CheckedContinuation<CacheResult<Value>, Never>]
  )

  private func land(
    _ flight: CacheFlight<Value>, _ item: PendingWrite<Key, Value>, _ data: Data?,
    _ operation: inout Operation, _ answer: Result<OriginAnswer<Value>, any Error>
  ) -> Landed {
    let (key, stripe) = (item.key, operation.stripe)
    let isFirst = stripe.flights[key] === flight
    if isFirst { stripe.flights[key] = nil }
    // The result of an abandoned fetch is not stored either.
    let isCurrent = isFirst && !flight.isAbandoned
    let result =
      switch answer {
      case .success(let answer): settle(flight, item, &operation, answer, isCurrent: isCurrent)
      case .failure(let error): fail(error, flight, item, stripe)
      }
    let waiters = flight.finish(result, data)
    if case .hit(let hit) = result, hit.freshness == .stale {
      stripe.loads.staleIfError += UInt64(flight.requests)
    }
    if let failure = operation.outcome.failure { events.note(.failure(failure), key, .disk) }
    return (result, waiters)
  }

  /// The item to be stored; a value that cannot be encoded is reported, and not stored.
  private func item(
    _ key: Key, _ answer: Result<OriginAnswer<Value>, any Error>, _ flight: CacheFlight<Value>
  ) -> PendingWrite<Key, Value> {
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
      // Without a lifetime from the origin, the previous one applies again.
      item.options = StoreOptions(
        timeToLive: maxAge.map(lifetime) ?? flight.candidate?.lifetime,
        version: version ?? flight.candidate?.version,
        contentType: flight.candidate?.contentType,
        isPermanent: flight.candidate?.isPermanent ?? false)
      item.options.mustRevalidate = flight.candidate?.mustRevalidate ?? false
      // Memory keeps the cost in its policy's tier, unless the record needs it on disk.
      let cost = flight.candidate?.metadata.facts?.metadata.fetchCost ?? 1
      item.options.fetchCost = cost == 1 ? memory?.fetchCost(of: key) ?? 1 : cost
    case .success(.absent), .success(.absence), .failure: return item
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

  /// Lifetime of an entry by its origin's `maxAge`. One that reaches the cache's limit is shortened
  /// to a microsecond below it, so that `needsRefresh` can distinguish it from the limit.
  private func lifetime(_ maxAge: Duration) -> Duration {
    guard !isSimulated, let limit = age, maxAge >= limit else {
      return maxAge
    }
    return limit - .microseconds(1)
  }

  /// Bytes that the waiting requests decode into their own copies; nil if the origin's value has no
  /// bytes.
  private func bytes(
    of item: PendingWrite<Key, Value>, _ answer: Result<OriginAnswer<Value>, any Error>,
    _ flight: CacheFlight<Value>
  ) -> Data? {
    switch answer {
    case .success(.value), .success(.mustRevalidate), .success(.unstored): return item.data
    case .success(.notModified), .success(.absent), .success(.absence), .failure: break
    }
    return item.data ?? flight.candidate.flatMap { try? codec.encode($0.value) }
  }

  private func settle(
    _ flight: CacheFlight<Value>, _ item: PendingWrite<Key, Value>,
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
      operation.stripe.loads.notModified += 1
      events.note(.notModified(isBackground: isBackground), item.key, nil)
      if isCurrent, item.value != nil { renew(item, &operation) }
      return .hit(renewed(candidate, item))
    case .absent:
      return absent(
        item, &operation, flight, isCurrent: isCurrent, for: configuration.negativeLife)
    case .absence(let life):
      return absent(item, &operation, flight, isCurrent: isCurrent, for: life)
    }
  }

  private func absent(
    _ item: PendingWrite<Key, Value>, _ operation: inout Operation, _ flight: CacheFlight<Value>,
    isCurrent: Bool, for life: Duration?
  ) -> CacheResult<Value> {
    operation.stripe.loads.absent += 1
    events.note(.absent(isBackground: flight.isBackground), item.key, nil)
    guard isCurrent else { return .absent }
    removeUnstored(item, &operation)
    if let life, !isClosed { absences.insert(item.key, for: life) }
    return .absent
  }

  private func removeUnstored(_ item: PendingWrite<Key, Value>, _ operation: inout Operation) {
    absences.remove(item.key)
    rules.delete(item, in: &operation)
    noteRemoval(item.key, item.now)
  }

  private func fail(
    _ error: any Error, _ flight: CacheFlight<Value>, _ item: PendingWrite<Key, Value>,
    _ stripe: HybridStripe<Key, Value>
  ) -> CacheResult<Value> {
    stripe.loads.count(error, isBackground: flight.isBackground)
    if !(error is CancellationError) {
      events.note(.fetchFailure(error, isBackground: flight.isBackground), item.key, nil)
    }
    guard let limit = configuration.staleIfError, let hit = flight.candidate, !flight.isAbandoned,
      case let overdue = hit.expiry.overdue(at: item.now),
      overdue == 0 || !hit.mustRevalidate && overdue <= limit.microseconds
    else { return .failure(error) }
    events.note(.staleAnswer, item.key, hit.tier)
    return .hit(hit.with(freshness: .stale))
  }

  private func renew(_ item: PendingWrite<Key, Value>, _ operation: inout Operation) {
    let places = rules.mayTake(life: operation.life(item))
    let isInMemory = memory?.contains(item.key) ?? false
    let isOnDisk = places.disk && renewOnDisk(item, &operation)
    guard isOnDisk || isInMemory else {
      // Evicted meanwhile: the value that was read earlier is stored like a fetched one.
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
    _ item: PendingWrite<Key, Value>, _ operation: inout Operation
  ) -> Bool {
    operation.ask { (disk) throws(HybridCacheError) in
      try disk.renew(
        item.diskKey, expiry: item.expiry(limit: diskAge), version: item.options.version)
    }
  }

  private func renewed(
    _ candidate: CacheHit<Value>, _ item: PendingWrite<Key, Value>
  ) -> CacheHit<Value> {
    CacheHit(
      candidate.value, candidate.tier, created: item.now, EntryMetadata(item.metadata(limit: age)),
      freshness: .revalidated)
  }
}
