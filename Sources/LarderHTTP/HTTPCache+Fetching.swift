import Foundation
import Larder
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct SharedFetch: Sendable {
  /// Result of a fetch: the response for the request that began it, and the stored one, if any,
  /// for the others.
  struct Landing: Sendable {
    let result: HTTPCacheResult
    let stored: StoredResponse?
  }

  let flight: CacheFlight<Landing>
  let head: RequestHead
}

extension HTTPCache {
  typealias Landing = SharedFetch.Landing

  func answer(_ exchange: HTTPExchange) async throws -> HTTPCacheResult {
    let head = exchange.head
    let isForwarded = !["GET", "HEAD"].contains(head.method) || head.control.noStore
    if isForwarded || head.hasOriginCondition {
      if head.control.onlyIfCached { return try unavailable(exchange) }
      return try await isForwarded ? forward(exchange) : counted(fetch(exchange, nil).result)
    }
    let candidate = exchange.ignoresStored ? nil : await lookUp(head)
    if let candidate {
      switch candidate.use(for: head.control, isReload: exchange.isReload, at: now) {
      case .now:
        if let result = respond(exchange, candidate, .cache) { return counted(result) }
      case .whileRefreshed:
        if let result = respond(exchange, candidate, .staleWhileRevalidate) {
          if !head.control.onlyIfCached { refresh(exchange, candidate) }
          return counted(result)
        }
      case .whenValidated: break
      }
    }
    if head.control.onlyIfCached { return try unavailable(exchange) }
    let isShareable =
      head.method == "GET" && !head.control.noCache && head.control.maxAge == nil
      && !exchange.isReload && !head.fields.contains("Range") && !head.hasClientCondition
      && unshared.value(for: head.url).map { now - $0 >= 60_000_000 } ?? true
    if isShareable { return try await join(exchange, candidate) }
    return counted(try await fetch(exchange, candidate).result)
  }

  private func forward(_ exchange: HTTPExchange) async throws -> HTTPCacheResult {
    let head = exchange.head
    let removals = removalCount(of: head.url)
    let requested = now
    let (data, response) = try await client.send(exchange.outgoing(with: []))
    let answer = ResponseHead(response)
    let invalidated = answer.invalidates(answering: head)
    for url in invalidated {
      count(\.invalidations)
      await invalidate(url)
    }
    if head.method == "POST", answer.mayBeStored(answering: head), answer.isComplete(data) {
      let get = exchange.get
      let stored = StoredResponse(
        answer, body: data, answering: get, requestTime: requested, responseTime: now)
      let own = UInt64(invalidated.count { slot(of: $0) == slot(of: get.url) })
      await change(get.url, since: removals + own) { $0.insert(stored, for: get) }
    }
    return counted(HTTPCacheResult(data: data, response: response, source: .origin))
  }

  private func unavailable(_ exchange: HTTPExchange) throws -> HTTPCacheResult {
    let head = ResponseHead(status: 504, fields: HTTPFields([("Content-Length", "0")]))
    guard let response = head.response(of: exchange.url) else {
      throw HTTPCacheError.notHTTP(url: exchange.head.url)
    }
    return HTTPCacheResult(data: Data(), response: response, source: .none)
  }

  private func counted(_ result: HTTPCacheResult) -> HTTPCacheResult {
    switch result.source {
    case .cache: count(\.hits)
    case .staleWhileRevalidate: count(\.staleWhileRevalidate)
    case .revalidated: count(\.revalidated)
    case .staleIfError: count(\.staleIfError)
    case .origin: count(\.misses)
    case .none: break
    }
    return result
  }

  // MARK: Stored responses

  private func lookUp(_ head: RequestHead) async -> StoredResponse? {
    do throws(HybridCacheError) {
      return try await store.value(for: head.url)?.select(for: head)
    } catch {
      count(\.storeFailures)
      return nil
    }
  }

  /// Answers a request by a stored response: with 304 if the client has it already, with a part if
  /// it asks for one, and without content for HEAD. Returns nil if the range asked for is not
  /// stored.
  func respond(
    _ exchange: HTTPExchange, _ stored: StoredResponse, _ source: HTTPCacheResult.Source
  ) -> HTTPCacheResult? {
    var head = stored.head
    var body = stored.body
    let request = exchange.head
    if source != .revalidated {
      head.fields.set("Age", "\(stored.age(at: now))")
      // Fields that may not be used without asking the origin.
      for name in head.control.noCacheFields { head.fields.remove(name) }
    }
    if head.status == 200, stored.satisfies(conditionOf: request) {
      head.status = 304
      for name in ["Content-Length", "Content-Encoding", "Content-Type", "Content-Language"] {
        head.fields.remove(name)
      }
      body = Data()
    } else if let header = request.fields["Range"], request.method == "GET",
      [200, 206].contains(head.status), stored.permitsRange(of: request)
    {
      if !stored.isPart(askedForBy: header) {
        guard let range = ByteRange(header), let slice = stored.slice(range) else { return nil }
        head.status = 206
        head.fields.set("Content-Range", slice.content.text)
        head.fields.set("Content-Length", "\(slice.bytes.count)")
        body = Data(body.dropFirst(slice.bytes.lowerBound).prefix(slice.bytes.count))
      }
    } else if head.status == 206 {
      return nil
    }
    if request.method == "HEAD" { body = Data() }
    guard let response = head.response(of: exchange.url) else { return nil }
    return HTTPCacheResult(data: body, response: response, source: source)
  }

  /// Changes the stored responses of a URL, unless it was removed since `removals` was read. Calls
  /// for one URL run one after the other.
  private func change(
    _ key: String, since removals: UInt64,
    _ body: @escaping @Sendable (inout StoredResponses) -> Void
  ) async {
    do throws(HybridCacheError) {
      try await store.run(key) { [weak self] (cache) throws(HybridCacheError) in
        guard let self, self.removalCount(of: key) == removals else { return }
        let old = try cache.value(for: key) ?? StoredResponses()
        var new = old
        body(&new)
        if new.all.isEmpty {
          if !old.all.isEmpty { _ = try cache.remove(key) }
        } else if new != old {
          _ = try cache.set(new, for: key)
          // Emptying the cache does not wait for this lane.
          if self.removalCount(of: key) != removals { _ = try cache.remove(key) }
        }
      }
    } catch {
      count(\.storeFailures)
    }
  }

  private func invalidate(_ url: String) async {
    noteRemoval(of: url)
    do throws(HybridCacheError) {
      _ = try await store.remove(url)
    } catch {
      count(\.storeFailures)
    }
  }

  private func slot(of key: String) -> Int { Int(UInt8(truncatingIfNeeded: key.hashValue)) }

  func noteRemoval(of key: String) {
    removals.withLock { $0[slot(of: key)] += 1 }
    _ = flights.withLock { $0.removeValue(forKey: key) }
  }

  private func removalCount(of key: String) -> UInt64 {
    removals.withLock { $0[slot(of: key)] }
  }

  // MARK: Fetching

  private func fetch(
    _ exchange: HTTPExchange, _ candidate: StoredResponse?
  ) async throws -> Landing {
    let head = exchange.head
    let removals = removalCount(of: head.url)
    let conditions =
      head.hasClientCondition || head.method != "GET" ? [] : candidate?.conditions ?? []
    let requested = now
    let (data, response): (Data, HTTPURLResponse)
    do {
      (data, response) = try await client.send(exchange.outgoing(with: conditions))
    } catch {
      if !(error is CancellationError), !Task.isCancelled,
        let result = substitute(exchange, candidate)
      {
        return Landing(result: result, stored: candidate)
      }
      throw error
    }
    let answer = ResponseHead(response)
    let result = HTTPCacheResult(data: data, response: response, source: .origin)
    if answer.isServerError, let result = substitute(exchange, candidate) {
      return Landing(result: result, stored: candidate)
    }
    if answer.status == 304, let candidate {
      guard candidate.isConfirmed(by: answer) else {
        if !conditions.isEmpty { return try await fetch(exchange, nil) }
        return Landing(result: result, stored: nil)
      }
      return try await confirm(
        exchange, candidate, answer, isOurs: !conditions.isEmpty, result, requested, removals)
    }
    // A client that followed a redirect by itself returns the response of another URL.
    let isOwn =
      response.url.map { RequestHead.normalised($0.absoluteString) == head.url } ?? true
    guard isOwn else { return Landing(result: result, stored: nil) }
    if head.method == "HEAD" {
      return Landing(
        result: await learn(exchange, answer, requested, removals) ?? result, stored: nil)
    }
    let stored = await keep(head, answer, data, requested, replacing: candidate, removals)
    if !answer.isServerError { noteSharing(of: head, stored) }
    return Landing(result: result, stored: stored)
  }

  private func noteSharing(of head: RequestHead, _ stored: StoredResponse?) {
    if stored?.use(for: CacheControl(nil), at: now) == .now {
      unshared.remove(head.url)
    } else {
      unshared.set(now, for: head.url)
    }
  }

  private func substitute(
    _ exchange: HTTPExchange, _ candidate: StoredResponse?
  ) -> HTTPCacheResult? {
    let limit = configuration.staleIfError.map { Int64($0.microseconds / 1_000_000) }
    guard let candidate,
      candidate.mayReplaceError(of: exchange.head.control, limit: limit, at: now)
    else { return nil }
    return respond(exchange, candidate, .staleIfError)
  }

  /// Updates the stored response by a 304, and answers with it; or with the 304 if the client asked
  /// for it.
  private func confirm(
    _ exchange: HTTPExchange, _ candidate: StoredResponse, _ answer: ResponseHead, isOurs: Bool,
    _ result: HTTPCacheResult, _ requested: Int64, _ removals: UInt64
  ) async throws -> Landing {
    let updated = candidate.updated(
      by: answer, answering: exchange.get, requestTime: requested, responseTime: now)
    let stored = updated.head.mayBeStored(answering: exchange.get) ? updated : nil
    // A condition of the client may be about another representation; two tags were compared.
    if isOurs || answer.entityTag != nil && candidate.entityTag != nil {
      if isOurs { noteSharing(of: exchange.head, stored) }
      await change(exchange.head.url, since: removals) { $0.replace(candidate, by: stored) }
    }
    guard isOurs else { return Landing(result: result, stored: nil) }
    if let result = respond(exchange, updated, .revalidated) {
      return Landing(result: result, stored: stored)
    }
    // A range that is not stored.
    return try await fetch(exchange, nil)
  }

  private func learn(
    _ exchange: HTTPExchange, _ answer: ResponseHead, _ requested: Int64, _ removals: UInt64
  ) async -> HTTPCacheResult? {
    guard answer.status == 200 else { return nil }
    let get = exchange.get
    guard let candidate = await lookUp(get), candidate.head.status == 200 else { return nil }
    let updated = candidate.updated(
      by: answer, answering: get, requestTime: requested, responseTime: now)
    let isConfirmed = candidate.isConfirmed(byHead: answer)
    let stored = isConfirmed && updated.head.mayBeStored(answering: get) ? updated : nil
    await change(get.url, since: removals) { $0.replace(candidate, by: stored) }
    return stored.flatMap { respond(exchange, $0, .revalidated) }
  }

  /// Stores a response if it may be stored, and returns it. If not, a stale one that it would have
  /// replaced is removed.
  private func keep(
    _ head: RequestHead, _ answer: ResponseHead, _ data: Data, _ requested: Int64,
    replacing candidate: StoredResponse?, _ removals: UInt64
  ) async -> StoredResponse? {
    let stored = StoredResponse(
      answer, body: data, answering: head, requestTime: requested, responseTime: now)
    if answer.mayBeStored(answering: head), answer.isComplete(data), stored.isWorthStoring {
      await change(head.url, since: removals) { $0.insert(stored, for: head) }
      return stored
    }
    if answer.status < 500, answer.status != 304, let candidate, !candidate.isFresh(at: now) {
      await change(head.url, since: removals) { $0.replace(candidate, by: nil) }
    }
    return nil
  }
}

extension HTTPCache {
  private func join(
    _ exchange: HTTPExchange, _ candidate: StoredResponse?
  ) async throws -> HTTPCacheResult {
    let (shared, isFirst) = begin(exchange, isBackground: false)
    guard let shared else { return counted(try await fetch(exchange, candidate).result) }
    if isFirst { launch(shared, exchange, candidate) }
    switch await shared.flight.wait() {
    case .miss(let landing):
      if isFirst { return counted(landing.result) }
      // The origin failed, for both.
      if landing.result.source == .staleIfError, shared.head == exchange.head {
        return counted(landing.result)
      }
      // A response may be used for a request that it was not fetched for only as a stored one.
      let stored = landing.stored.flatMap { $0.matches(exchange.head) ? $0 : nil }
      if let stored, stored.use(for: exchange.head.control, at: now) == .now,
        let result = respond(exchange, stored, .cache)
      {
        count(\.joined)
        return result
      }
      return counted(try await fetch(exchange, stored ?? candidate).result)
    case .failure(let error):
      if isFirst || Task.isCancelled { throw error }
      // Not a failure of the origin, or of another request.
      if error is CancellationError || shared.head != exchange.head {
        return counted(try await fetch(exchange, candidate).result)
      }
      throw error
    case .hit, .absent: return counted(try await fetch(exchange, candidate).result)
    }
  }

  /// The running fetch of a URL, or a new one. Nil if there is one to which a request in the
  /// background has nothing to add.
  private func begin(
    _ exchange: HTTPExchange, isBackground: Bool
  ) -> (shared: SharedFetch?, isFirst: Bool) {
    flights.withLock { flights in
      if let running = flights[exchange.head.url] {
        if isBackground { return (nil, false) }
        if running.flight.join() { return (running, false) }
      }
      let shared = SharedFetch(
        flight: CacheFlight(candidate: nil, isBackground: isBackground), head: exchange.head)
      if !isBackground { _ = shared.flight.join() }
      flights[exchange.head.url] = shared
      return (shared, true)
    }
  }

  private func launch(
    _ shared: SharedFetch, _ exchange: HTTPExchange, _ candidate: StoredResponse?
  ) {
    shared.flight.launch {
      let result: CacheResult<Landing>
      do {
        result = .miss(try await self.fetch(exchange, candidate))
      } catch {
        if shared.flight.isBackground { self.count(\.backgroundFailures) }
        result = .failure(error)
      }
      self.flights.withLock { flights in
        if flights[exchange.head.url]?.flight === shared.flight {
          flights[exchange.head.url] = nil
        }
      }
      for waiter in shared.flight.finish(result, nil) { waiter.resume(returning: result) }
    }
  }

  private func refresh(_ exchange: HTTPExchange, _ candidate: StoredResponse) {
    guard let shared = begin(exchange, isBackground: true).shared else { return }
    launch(shared, exchange, candidate)
  }

  package func settle() async {
    while let shared = flights.withLock({ $0.values.first }) {
      if shared.flight.join() { _ = await shared.flight.wait() } else { await Task.yield() }
    }
  }
}

extension StoredResponse {
  /// True if the client has the current representation by its own condition; `If-None-Match`
  /// comes before `If-Modified-Since` (RFC 9110, 13.2.2).
  fileprivate func satisfies(conditionOf request: RequestHead) -> Bool {
    if let tags = request.fields["If-None-Match"] {
      return EntityTag.isListed(entityTag, in: tags)
    }
    guard let text = request.fields["If-Modified-Since"],
      let since = HTTPDate.seconds(text, now: responseSecond)
    else { return false }
    return (date(of: "Last-Modified") ?? date) <= since
  }

  /// True unless `If-Range` names another representation (RFC 9110, 13.1.5).
  fileprivate func permitsRange(of request: RequestHead) -> Bool {
    guard let condition = request.fields["If-Range"] else { return true }
    if condition.hasPrefix("W/") { return false }
    // A date is a strong validator of what was sent in a later second (8.8.2.2).
    return condition == entityTag
      || condition == lastModified && (date(of: "Last-Modified") ?? .max) < date
  }
}

extension ResponseHead {
  /// True if the content has the length that the response says. Clients that decode the content
  /// leave the field of the encoded one.
  fileprivate func isComplete(_ data: Data) -> Bool {
    guard !fields.contains("Content-Encoding"), status != 204,
      let length = fields["Content-Length"].flatMap({ Int64($0) })
    else { return true }
    return length == data.count
  }
}
