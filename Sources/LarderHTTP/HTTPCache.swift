public import Foundation
public import Larder
import Synchronization

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// A private HTTP cache (RFC 9111) in memory and on disk, in front of any HTTP client.
///
/// ```swift
/// let cache = try await HTTPCache(name: "images")
/// let (data, response) = try await cache.data(for: URLRequest(url: url))
/// ```
///
/// The header fields of request and response decide what is stored, for how long it is fresh, and
/// what is asked of the origin: docs/http.md lists every directive. Concurrent requests for a URL
/// share one fetch if its response may answer all of them. Turn `URLCache` off in a client of your
/// own.
///
/// **One user.** Responses to requests with `Authorization` or cookies are stored like others. When
/// the user changes, call `removeAll()`, or `destroy()`.
public final class HTTPCache: Sendable {
  /// The configuration of the cache.
  public let configuration: HTTPCacheConfiguration

  let client: HTTPClient
  let store: HybridCache<String, StoredResponses>
  let flights = Mutex<[String: SharedFetch]>([:])
  let totals = Mutex(HTTPCacheStatistics())
  /// Numbers of removals, by the hash of the URL: a response that was requested before a removal
  /// of its URL is not stored.
  let removals = Mutex([UInt64](repeating: 0, count: 256))
  /// URLs whose latest response may not answer another request, with its time: for a minute,
  /// requests for them do not wait for each other.
  let unshared = MemoryCache<String, Int64>(count: 1_000)

  init(
    _ configuration: HTTPCacheConfiguration, _ client: HTTPClient,
    _ store: HybridCache<String, StoredResponses>
  ) {
    self.configuration = configuration
    self.client = client
    self.store = store
  }

  /// Opens a cache in a folder of this name in the system's folder for caches; on Linux that of
  /// `XDG_CACHE_HOME`. One cache at a time has it open.
  public convenience init(
    name: String, configuration: HTTPCacheConfiguration = HTTPCacheConfiguration(),
    client: HTTPClient = .urlSession()
  ) async throws(HTTPCacheError) {
    let path: String
    do throws(DiskCacheError) { path = try CachesFolder.path(name: name) } catch {
      throw .tiers(.disk(error))
    }
    try await self.init(
      directory: URL(fileURLWithPath: path, isDirectory: true), configuration: configuration,
      client: client)
  }

  /// Opens a cache in a folder, a file URL, which is created if it does not exist; nil only for a
  /// configuration without disk.
  public convenience init(
    directory: URL?, configuration: HTTPCacheConfiguration = HTTPCacheConfiguration(),
    client: HTTPClient = .urlSession()
  ) async throws(HTTPCacheError) {
    let store: HybridCache<String, StoredResponses>
    do throws(HybridCacheError) {
      store = try await HybridCache(
        path: directory, configuration: configuration.tiers, codec: .responses)
    } catch {
      throw .tiers(error)
    }
    self.init(configuration, client, store)
  }

  // MARK: Requests

  /// Returns the response to a request, from the cache or from the client.
  ///
  /// The request's `cachePolicy` is respected: `reloadIgnoringLocalCacheData` gets everything from
  /// the origin, `reloadRevalidatingCacheData` has stored responses confirmed, except for fresh
  /// ones with `immutable`, `returnCacheDataElseLoad` accepts stale responses, and
  /// `returnCacheDataDontLoad` gets a 504 if there is none.
  ///
  /// - Throws: Errors of the client; `notHTTP`, `tooManyRedirects`; `CancellationError`.
  public func data(for request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    let result = try await result(for: request)
    return (result.data, result.response)
  }

  /// Returns the response to a GET request for a URL.
  public func data(from url: URL) async throws -> (Data, HTTPURLResponse) {
    try await data(for: URLRequest(url: url))
  }

  /// Returns the response to a request and its source: see `data(for:)`.
  public func result(for request: URLRequest) async throws -> HTTPCacheResult {
    var request = request
    do {
      for _ in 0...20 {
        let exchange = try HTTPExchange(request, added: client.added(request))
        let result = try await answer(exchange)
        guard configuration.followsRedirects,
          let next = exchange.redirected(by: result.response)
        else { return result }
        request = next
      }
      throw HTTPCacheError.tooManyRedirects(url: request.url?.absoluteString ?? "")
    } catch {
      if !(error is CancellationError) { count(\.failures) }
      throw error
    }
  }

  // MARK: Maintenance

  /// Removes the stored responses of a URL, and returns true if there were any.
  @discardableResult public func remove(_ url: URL) async throws(HTTPCacheError) -> Bool {
    let key = RequestHead.normalised(url.absoluteString)
    noteRemoval(of: key)
    do throws(HybridCacheError) {
      return try await store.remove(key)
    } catch {
      throw .tiers(error)
    }
  }

  /// Removes all stored responses. Running fetches are not stored.
  @discardableResult public func removeAll() async throws(HTTPCacheError) -> Freed {
    noteClearing()
    do throws(HybridCacheError) { return try await store.removeAll() } catch { throw .tiers(error) }
  }

  /// Closes the cache without writing and removes the folder's files. Requests then go to the
  /// client. If it throws, a second call tries again.
  public func destroy() async throws(HTTPCacheError) {
    noteClearing()
    do throws(HybridCacheError) { try await store.destroy() } catch { throw .tiers(error) }
  }

  private func noteClearing() {
    removals.withLock { numbers in for index in numbers.indices { numbers[index] += 1 } }
    flights.withLock { $0.removeAll() }
    unshared.removeAll()
  }

  /// Writes everything and releases the folder until `resume`, before the system suspends the app.
  public func suspend() async throws(HTTPCacheError) {
    do throws(HybridCacheError) { try await store.suspend() } catch { throw .tiers(error) }
  }

  /// Opens the folder again after `suspend`.
  public func resume() async throws(HTTPCacheError) {
    do throws(HybridCacheError) { try await store.resume() } catch { throw .tiers(error) }
  }

  /// Writes everything and releases the folder. Requests then go to the client.
  public func close() async throws(HTTPCacheError) {
    do throws(HybridCacheError) { try await store.close() } catch { throw .tiers(error) }
  }

  /// Counts of requests, and the statistics of the tiers.
  public var statistics: HTTPCacheStatistics {
    get async {
      let tiers = await store.statistics
      return totals.withLock { totals in
        var statistics = totals
        statistics.tiers = tiers
        return statistics
      }
    }
  }

  func count(_ event: WritableKeyPath<HTTPCacheStatistics, UInt64>) {
    totals.withLock { $0[keyPath: event] += 1 }
  }

  var now: Int64 { Int64(clamping: configuration.clock.now.microseconds) }
}

/// A response and its source.
public struct HTTPCacheResult: Sendable {
  /// Sources of a response.
  public enum Source: String, Sendable, Hashable, CaseIterable {
    /// The cache, without asking the origin.
    case cache
    /// The cache; the response is stale and is refreshed in the background.
    case staleWhileRevalidate
    /// The cache, after the origin has confirmed it.
    case revalidated
    /// The cache, because the origin failed.
    case staleIfError
    /// The origin.
    case origin
    /// A 504 for a request that must not be sent to the origin.
    case none
  }

  /// The body.
  public let data: Data
  /// Status and header fields.
  public let response: HTTPURLResponse
  /// The source.
  public let source: Source
}

extension DiskCodec<StoredResponses> {
  fileprivate static var responses: DiskCodec {
    DiskCodec(
      identity: "larder-http", encode: { $0.encoded() },
      decode: { data in try StoredResponses(decoding: data) })
  }
}
