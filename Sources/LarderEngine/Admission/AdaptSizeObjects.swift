/// The objects that AdaptSize has seen: how often each was requested, and its size.
struct AdaptSizeObjects: ~Copyable {
  // In one place in memory: every request looks at all of it.
  private struct Object {
    var fingerprint: UInt32
    /// Requests since the last search.
    var recent: Float = 0
    /// Weighted requests before.
    var before: Float = 0
    var size: UInt32
  }

  private var table = FingerprintTable(capacity: 1024)
  private var objects: [Object] = []
  /// The sum of the sizes, in bytes.
  private(set) var sizeSum = 0.0

  /// Memory held, in bytes.
  var bytes: Int { table.bytes + objects.capacity * MemoryLayout<Object>.stride }

  /// An object is requested. Amortised O(1).
  @inline(__always)
  mutating func note(_ request: Request) {
    let place = table.place(request.fingerprint)
    if place == objects.count {
      objects.append(Object(fingerprint: request.fingerprint, size: request.size))
      sizeSum += Double(request.size)
    }
    objects[place].recent += 1
    // A hit may say another size than the object's; what was asked for last counts.
    sizeSum += Double(request.size) - Double(objects[place].size)
    objects[place].size = request.size
  }

  /// Moves the counts on and forgets what was hardly requested. O(objects).
  mutating func age() {
    var kept = 0
    table = FingerprintTable(capacity: objects.count)
    sizeSum = 0
    for place in objects.indices {
      var object = objects[place]
      let weighted =
        object.before == 0 ? object.recent : object.before * 0.3 + object.recent * 0.7
      guard weighted >= 0.1 else { continue }
      _ = table.place(object.fingerprint)
      object.before = weighted
      object.recent = 0
      objects[kept] = object
      sizeSum += Double(object.size)
      kept += 1
    }
    objects.removeLast(objects.count - kept)
  }

  /// A model of what was requested until `age` was called. O(objects).
  func model(capacity: Double) -> AdaptSizeModel {
    AdaptSizeModel(capacity: capacity, objects: objects.lazy.map { ($0.before, $0.size) })
  }
}
