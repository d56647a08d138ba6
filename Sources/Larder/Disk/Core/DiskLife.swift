/// When an entry began to live and when it expires, microseconds of the cache's clock.
struct DiskLife {
  var created: UInt64
  /// `Request.noExpiry` for never.
  var expires: UInt64
}
