import LarderEngine

/// BeladySize of libCacheSim over all objects: evicts the largest product of size and time to the
/// next use, and objects that are never used again first. Ties go to the later next use, then to
/// the larger object, then to the one that appeared first.
struct NaiveBeladySize: NaivePolicy {
  struct Entry {
    var id: ObjectID
    var size: UInt64
    var nextUse: UInt32
  }
  var entries: [Entry] = []
  var now: UInt32 = 0

  func contains(_ id: ObjectID) -> Bool { entries.contains { $0.id == id } }
  mutating func hit(_ request: Request) {
    remove(request.id)
    insert(request)
  }
  mutating func foresee(_ request: Request) {
    advance(to: request)
    guard let place = entries.firstIndex(where: { $0.id == request.id }) else { return }
    entries[place].nextUse = request.nextUse
  }
  mutating func admit(_ request: Request) -> Bool {
    advance(to: request)
    return true
  }
  mutating func evict() -> ObjectID {
    let victim = entries.firstMinimum { leaves($0, before: $1) }?.id ?? .none
    remove(victim)
    return victim
  }
  mutating func insert(_ request: Request) {
    advance(to: request)
    entries.append(
      Entry(id: request.id, size: UInt64(request.size), nextUse: request.nextUse))
  }
  mutating func remove(_ id: ObjectID) { entries.removeAll { $0.id == id } }

  private mutating func advance(to request: Request) { now = max(now, UInt32(request.index)) }

  private func leaves(_ one: Entry, before other: Entry) -> Bool {
    let values = [one, other].map { entry in
      entry.nextUse == Request.never
        ? UInt64.max : entry.size * UInt64(max(entry.nextUse, now) - now)
    }
    if values[0] != values[1] { return values[0] > values[1] }
    if one.nextUse != other.nextUse { return one.nextUse > other.nextUse }
    return one.size != other.size ? one.size > other.size : one.id < other.id
  }
}
