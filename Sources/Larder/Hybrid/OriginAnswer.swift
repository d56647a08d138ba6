#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The response of an origin.
public enum OriginAnswer<Value: Sendable>: Sendable {
  /// A value, which is stored for `maxAge`, or if that is nil, as long as the cache's limits allow.
  /// `version` identifies it for revalidation, such as an ETag; `fetchCost` is the cost of fetching
  /// it, for policies that use it. With a `maxAge` of zero it is returned to those who wait and
  /// stored only to be revalidated, which takes a version.
  case value(
    Value, version: String? = nil, maxAge: Duration? = nil, contentType: String? = nil,
    fetchCost: Float = 1)
  /// As `value`, but once the value has expired it is never returned without a confirmation of the
  /// origin (HTTP `Cache-Control: no-cache` or `must-revalidate`): neither while it is refreshed
  /// nor when the origin fails, whatever the configuration says. Confirming it keeps this.
  case mustRevalidate(
    Value, version: String? = nil, maxAge: Duration? = nil, contentType: String? = nil,
    fetchCost: Float = 1)
  /// A value that is returned to those who wait and stored neither in memory nor on disk (HTTP
  /// `Cache-Control: no-store`); the cached value is removed. The next request asks again.
  case unstored(Value)
  /// The cached value has not changed (HTTP 304). It is valid for another `maxAge`, or if that is
  /// nil, for its previous lifetime. A version of nil keeps the current one.
  case notModified(version: String? = nil, maxAge: Duration? = nil)
  /// The value does not exist (HTTP 404 or 410); the cached value is removed.
  case absent
}

/// A request of a cache to its origin.
public struct OriginRequest<Key: Sendable>: Sendable {
  /// The key.
  public let key: Key
  /// The version (ETag) of the cached value, if any. An origin that still has this version may
  /// answer `.notModified`.
  public let version: String?
  /// When the cached value was stored or last confirmed, by the cache's clock; nil if there is
  /// none.
  public let created: Date?
  /// Whether this is a background refresh of a value that was already returned.
  public let isBackground: Bool

  /// A request, as for a test of a loader.
  public init(
    key: Key, version: String? = nil, created: Date? = nil, isBackground: Bool = false
  ) {
    self.key = key
    self.version = version
    self.created = created
    self.isBackground = isBackground
  }
}

/// What a `Cache-Control` header says to a cache of one user.
struct ResponseCacheControl {
  /// Whether the response may not be stored.
  private(set) var forbidsStoring = false
  /// For how long it may be used without asking the origin; nil if nothing is said.
  private(set) var maxAge: Duration?
  /// True if it may not be used without asking the origin once it has expired.
  private(set) var mustRevalidate = false

  /// The directives of a header.
  init(_ header: String) {
    // Arguments may be quoted, and a quoted one may have commas: of other directives.
    var isQuoted = false
    let directives = header.utf8.split { byte in
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      return byte == UInt8(ascii: ",") && !isQuoted
    }
    for directive in directives {
      let parts = String(Substring(directive)).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false
      ).map { $0.filter { $0 != " " && $0 != "\t" && $0 != "\"" } }
      switch parts[0].lowercased() {
      case "no-store": forbidsStoring = true
      // `no-cache="name"` is about a header alone.
      case "no-cache" where parts.count == 1:
        shorten(to: 0)
        mustRevalidate = true
      case "must-revalidate": mustRevalidate = true
      case "max-age": shorten(to: parts.count == 1 ? 0 : Self.seconds(parts[1]))
      default: break
      }
    }
  }

  private mutating func shorten(to seconds: Int64) {
    maxAge = min(maxAge ?? .seconds(seconds), .seconds(seconds))
  }

  /// At most 2^31, as RFC 9111 (1.2.2) has it for numbers that are too large.
  private static func seconds(_ text: String) -> Int64 {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return 0 }
    return min(Int64(text) ?? .max, 1 << 31)
  }
}

extension OriginAnswer {
  /// A value as the `Cache-Control` header of its response says (RFC 9111), for a cache of one
  /// user:
  ///
  /// - `no-store`: it is returned and not stored.
  /// - `no-cache` or `max-age=0`: no get returns it. It is kept only with a `version`, to be
  ///   revalidated.
  /// - `no-cache` or `must-revalidate`: once it has expired, it is not returned while it is
  ///   refreshed, nor when the origin fails: see `mustRevalidate`. (`proxy-revalidate` and
  ///   `s-maxage` are for caches that several users share.)
  /// - `max-age=N`: it is fresh for N seconds. If N is not a number, it counts as 0; of several,
  ///   the lowest counts.
  /// - Other directives are ignored. Without one of these, the limits of the cache apply.
  ///
  /// - Parameters:
  ///   - cacheControl: The header; nil if there is none.
  ///   - version: See the case `value`, as for the other parameters.
  public static func value(
    _ value: Value, cacheControl: String?, version: String? = nil, contentType: String? = nil,
    fetchCost: Float = 1
  ) -> OriginAnswer {
    let control = ResponseCacheControl(cacheControl ?? "")
    if control.forbidsStoring { return .unstored(value) }
    if control.mustRevalidate {
      return .mustRevalidate(
        value, version: version, maxAge: control.maxAge, contentType: contentType,
        fetchCost: fetchCost)
    }
    return .value(
      value, version: version, maxAge: control.maxAge, contentType: contentType,
      fetchCost: fetchCost)
  }
}
