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
