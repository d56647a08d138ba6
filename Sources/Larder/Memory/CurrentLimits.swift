/// The limits of a cache, and of how many calls they are the last.
struct CurrentLimits {
  var limits: MemoryCacheLimits
  var number: UInt64 = 0
}
