/// What happened in one stripe.
struct HybridTotals {
  var promotions: UInt64 = 0
  var demotions: UInt64 = 0
  var fetches: UInt64 = 0
  var joined: UInt64 = 0
  var notModified: UInt64 = 0
  var overtaken: UInt64 = 0
  var failures: UInt64 = 0
  var backgroundFailures: UInt64 = 0
  var cancelled: UInt64 = 0
  var staleAnswers: UInt64 = 0
  var staleHits: UInt64 = 0
  var lostWrites: UInt64 = 0
}
