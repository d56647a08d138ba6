extension CacheClock {
  /// The time in whole microseconds, as the caches store and compare it.
  @inlinable
  @inline(__always)
  package var nowMicroseconds: UInt64 { now.microseconds }
}
