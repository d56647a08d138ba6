/// The LRU stack of a trace: all objects in the order of their latest requests, with the depth of
/// each.
///
/// Mattson, Gecsei, Slutz and Traiger (Evaluation techniques for storage hierarchies, IBM Systems
/// Journal 1970): an LRU cache of capacity C holds the objects down to depth C, so one pass answers
/// for all capacities. A deletion leaves a hole, of the object's weight, where the object was: a
/// cache that reaches as deep has that much room free, and what comes in on top fills the topmost
/// holes first (Thompson and Smith, Efficient (stack) algorithms for analysis of write-back and
/// sector memories, ACM TOCS 1989, for one size). A use is the same: the object leaves a hole where
/// it was, and comes in on top.
///
/// With weights the depth is exact for every capacity that no object alone exceeds, as long as the
/// weight of an object is the same for all capacities: so it changes with a set alone.
struct LRUStack<Order: RecencyOrder & ~Copyable>: ~Copyable {
  private var order: Order
  // The position of each object's latest request plus one; 0 for an object that is not there.
  private var places: Column<UInt32>
  // The positions of free places: the topmost, which has the largest, is filled first.
  private var holes = MaxHeap<UInt32>()
  /// How many positions there are for each live one after a renumbering: more of them are fewer
  /// renumberings, fewer stay in the processor's cache. (Measured with 1 M objects: 4 and 8 are as
  /// fast as each other, 2 is half as fast.)
  private static var slack: Int { 4 }

  /// An empty stack for ids up to `objects`.
  init(objects: Int) {
    order = Order(room: 1 << 10)
    places = Column(objects: objects)
  }

  /// Moves an object to the top, or puts it there. Returns the depth down to which a cache must
  /// reach for a hit, and the weight it had; nil for an object that was not there.
  @inline(__always)
  mutating func use(_ id: ObjectID, weight: UInt32) -> (depth: UInt64, weight: UInt32)? {
    if order.isFull { renumber() }
    let place = places[id]
    guard place != 0 else {
      places[id] = order.append(weight) &+ 1
      if !holes.isEmpty { fillHoles(weight) }
      return nil
    }
    let position = place &- 1
    let depth = order.total &- order.before(position)
    let old = order.weight(position)
    if holes.isEmpty, old == weight {
      order.remove(position)
      places[id] = order.append(weight) &+ 1
    } else {
      holes.insert(position)
      places[id] = order.append(weight) &+ 1
      fillHoles(weight)
    }
    return (depth, old)
  }

  /// Deletes an object. The room that it leaves stays free until something fills it.
  mutating func delete(_ id: ObjectID) {
    guard places[id] != 0 else { return }
    holes.insert(places[id] - 1)
    places[id] = 0
  }

  /// Takes an object out as if it had never been there.
  mutating func forget(_ id: ObjectID) {
    guard places[id] != 0 else { return }
    order.remove(places[id] - 1)
    places[id] = 0
  }

  /// Brings the place of an object near.
  @inline(__always)
  func prefetch(_ id: ObjectID) { places.prefetch(id) }

  /// Brings what the place of an object points to near.
  @inline(__always)
  func prefetchPosition(_ id: ObjectID) {
    let place = places[id]
    order.prefetch(place == 0 ? 0 : place &- 1)
  }

  /// Memory held, in bytes.
  var bytes: Int { order.bytes + places.bytes }

  /// Something has come in on top: what was free further down is taken, from the top on.
  private mutating func fillHoles(_ weight: UInt32) {
    var weight = weight
    while !holes.isEmpty {
      let hole = holes.largest
      let room = order.weight(hole)
      if room > weight {
        if weight > 0 { order.lighten(hole, by: weight) }
        return
      }
      order.remove(hole)
      holes.removeLargest()
      weight -= room
    }
  }

  private mutating func renumber() {
    order.makeRanks()
    var live = 0
    var id: ObjectID = 1
    while Int(id) <= places.objects {
      let place = places[id]
      if place != 0 {
        places[id] = order.rank(place - 1) + 1
        live += 1
      }
      id += 1
    }
    var moved = holes
    moved.replaceAll { order.rank($0) }
    holes = moved
    order.renumber(room: max(1 << 16, (live + holes.count) * Self.slack))
  }
}
