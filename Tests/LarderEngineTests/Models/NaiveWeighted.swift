import LarderEngine

/// An object in one of a model's queues, with its size.
struct NaiveWeighted {
  var id: ObjectID
  var size: UInt64

  init(_ request: Request) {
    id = request.id
    size = UInt64(request.size)
  }
}

extension [NaiveWeighted] {
  var weight: UInt64 { reduce(0) { $0 + $1.size } }

  func has(_ id: ObjectID) -> Bool { contains { $0.id == id } }

  mutating func drop(_ id: ObjectID) { removeAll { $0.id == id } }
}
