import LarderEngine

/// Properties of a request that a modelled tier sees in addition to its policy.
struct NaiveContext {
  var now: UInt64
  var ttlSeconds: UInt32
  var version: Int
  var latest: [ObjectID: Request]
}

/// Sources that answer a get.
enum NaiveAnswer {
  case memory(NaiveCopy)
  case disk(NaiveCopy)
  case miss
}
