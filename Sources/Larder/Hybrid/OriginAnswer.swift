#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The response of an origin.
public enum OriginAnswer<Value: Sendable>: Sendable {
  /// A value, which is stored for `maxAge`, or if that is nil, as long as the limits allow; with
  /// zero or less only for revalidation, which requires a version, such as an ETag. `fetchCost` is
  /// the cost of fetching it, for policies that use it.
  case value(
    Value, version: String? = nil, maxAge: Duration? = nil, contentType: String? = nil,
    fetchCost: Float = 1)
  /// As `value`, but once it has expired it is never returned without a confirmation of the origin
  /// (HTTP `no-cache` or `must-revalidate`), whatever the configuration.
  case mustRevalidate(
    Value, version: String? = nil, maxAge: Duration? = nil, contentType: String? = nil,
    fetchCost: Float = 1)
  /// A value that is returned to waiting requests and stored neither in memory nor on disk (HTTP
  /// `Cache-Control: no-store`); the cached value is removed. The next request asks again.
  case unstored(Value)
  /// The cached value has not changed (HTTP 304), and is valid for another `maxAge`, or its
  /// previous lifetime. If the version is another one than that of the request, the origin is asked
  /// again without one. (A weak ETag, `W/"a"`, confirms `"a"` as well.)
  case notModified(version: String? = nil, maxAge: Duration? = nil)
  /// The value does not exist (HTTP 404 or 410); the cached value is removed. The absence is
  /// remembered for `HybridCacheConfiguration.negativeLife`.
  case absent
  /// The value does not exist, and the origin need not be asked again for this time: see
  /// `absent(for:)`.
  case absence(for: Duration)

  /// The value does not exist. The cached value is removed, and the absence is remembered in memory
  /// for this time, at least until the key is set or removed; zero or less remembers nothing.
  public static func absent(for life: Duration) -> OriginAnswer { .absence(for: life) }
}

/// A request of a cache to its origin.
public struct OriginRequest<Key: Sendable>: Sendable {
  /// The key.
  public let key: Key
  /// The version (ETag) of the cached value, if any. An origin that still has this version may
  /// answer `.notModified`.
  public let version: String?
  /// Time at which the cached value was stored or last confirmed, by the cache's clock; nil if
  /// there is none.
  public let created: Date?
  /// True for a background refresh of a value that was already returned.
  public let isBackground: Bool

  /// Creates a request, for example to test a loader.
  public init(
    key: Key, version: String? = nil, created: Date? = nil, isBackground: Bool = false
  ) {
    self.key = key
    self.version = version
    self.created = created
    self.isBackground = isBackground
  }
}

extension OriginRequest where Key: DiskKeyRepresentable {
  /// Asks an origin, and asks it again without versions where it confirmed another version than the
  /// cached one (RFC 9111, 4.3.4).
  static func answers<Value>(
    to requests: [OriginRequest<Key>],
    _ load: ([OriginRequest<Key>]) async throws -> [Key: OriginAnswer<Value>]
  ) async throws -> [Key: OriginAnswer<Value>] {
    var answers = try await load(requests)
    let again = requests.filter { request in
      guard case .notModified(let confirmed?, _) = answers[request.key],
        let version = request.version
      else { return false }
      return confirmed != version
        && (!confirmed.hasPrefix("W/") || confirmed.dropFirst(2) != version.opaqueTag)
    }
    if again.isEmpty { return answers }
    let others = try await load(again.map { Self(key: $0.key, isBackground: $0.isBackground) })
    for key in again.map(\.key) {
      if case .notModified = others[key] {
        throw HybridCacheError.notModifiedUnasked(key: key.diskKey)
      }
      answers[key] = others[key]
    }
    return answers
  }
}

extension String {
  fileprivate var opaqueTag: Substring { hasPrefix("W/") ? dropFirst(2) : self[...] }
}

extension OriginAnswer {
  /// Creates the answer for a value and the `Cache-Control` header of its response (RFC 9111), for
  /// a private cache: `no-store` stores nothing; `no-cache` or `max-age=0` keep the value only with
  /// a `version`, to be revalidated; after `no-cache` or `must-revalidate` it is not returned once
  /// it has expired; `max-age=N` is its lifetime. Without one of these, the limits of the cache
  /// apply.
  public static func value(
    _ value: Value, cacheControl: String?, version: String? = nil, contentType: String? = nil,
    fetchCost: Float = 1
  ) -> OriginAnswer {
    let control = CacheControl(cacheControl)
    if control.noStore { return .unstored(value) }
    let maxAge: Duration? = control.noCache ? .zero : control.maxAge.map { .seconds($0) }
    if control.noCache || control.mustRevalidate {
      return .mustRevalidate(
        value, version: version, maxAge: maxAge, contentType: contentType, fetchCost: fetchCost)
    }
    return .value(
      value, version: version, maxAge: maxAge, contentType: contentType, fetchCost: fetchCost)
  }
}
