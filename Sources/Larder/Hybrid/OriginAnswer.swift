/// What the origin answers.
public enum OriginAnswer<Value: Sendable>: Sendable {
  /// A value, which is stored for `maxAge`, or as long as the cache's limits let it where that is
  /// nil. `version` is what to ask with the next time, such as an ETag; `cost` what fetching it
  /// took, for policies that weigh it.
  case value(
    Value, version: String? = nil, maxAge: Duration? = nil, contentType: String? = nil,
    cost: Float = 1)
  /// What the cache has still holds (HTTP 304), for another `maxAge`, or where that is nil for as
  /// long as it was to hold before. A version of nil leaves the one that it has.
  case notModified(version: String? = nil, maxAge: Duration? = nil)
  /// There is no such thing (HTTP 404 or 410): what the cache has is removed.
  case absent
}
