/// Objects stored since a model was trained, oldest first, with the bytes that they had: 3L-Cache
/// looks at them before it looks at old ones.
struct NewArrivals: ~Copyable {
  struct Arrival: BitwiseCopyable {
    var id: ObjectID
    var epoch: UInt32
  }

  private var arrivals: [Arrival] = []
  private var head = 0
  /// The size of all, less those that were taken; those that left unnoticed count until none is
  /// left.
  private(set) var size: UInt64 = 0

  /// Arrivals that were not taken.
  var count: Int { arrivals.count - head }

  /// Adds an object. Its `epoch` tells it from another that has its id later.
  mutating func append(_ id: ObjectID, epoch: UInt32, size: UInt32) {
    arrivals.append(Arrival(id: id, epoch: epoch))
    self.size += UInt64(size)
  }

  /// Takes the oldest of one or more.
  mutating func popOldest() -> (id: ObjectID, epoch: UInt32) {
    let arrival = arrivals[head]
    head += 1
    return (arrival.id, arrival.epoch)
  }

  /// Leaves out the size of one that was taken.
  mutating func subtract(_ bytes: UInt32) { size -= min(size, UInt64(bytes)) }

  /// After some were taken: frees their places, and where none is left their size.
  mutating func settle() {
    if count == 0 { size = 0 }
    guard head >= 1024 && head * 2 > arrivals.count || count == 0 else { return }
    arrivals.removeFirst(head)
    head = 0
  }

  /// Memory held, in bytes.
  var bytes: Int { arrivals.capacity * MemoryLayout<Arrival>.stride }
}
