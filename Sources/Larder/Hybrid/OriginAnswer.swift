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
