import LarderEngine

/// Properties of a request that a modelled tier sees in addition to its policy.
struct NaiveContext {
  var now: UInt64
  var ttlSeconds: UInt32
  /// The current version of the object at the origin.
  var version: Int
  /// Each object's latest request, including this one.
  var latest: [ObjectID: Request]
}

/// Sources that answer a get.
enum NaiveAnswer {
  case memory(NaiveCopy)
  case disk(NaiveCopy)
  case miss
}
