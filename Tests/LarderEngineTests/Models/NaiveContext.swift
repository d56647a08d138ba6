import LarderEngine

/// What a modelled tier is told of a request beside what its policy sees.
struct NaiveContext {
  /// Microseconds.
  var now: UInt64
  /// The request's own; 0 for none.
  var ttlSeconds: UInt32
  /// The origin's present version of the object.
  var version: Int
  /// Each object's latest request, this one included.
  var latest: [ObjectID: Request]
}

/// Where a get was answered from.
enum NaiveAnswer {
  case memory(NaiveCopy)
  case disk(NaiveCopy)
  case miss
}
