import CLarder
import LarderEngine

/// One cache's policy behind callbacks: what is resident, and what the caller has not heard yet.
final class CallbackInstance {
  /// What happened: the numbers of `larder.h`.
  enum Event: UInt64 {
    case hit = 0
    case insert = 1
    case remove = 2
    case replace = 3
  }

  private let callbacks: Callbacks
  private let number: Int64?
  private let events: UnsafeMutablePointer<UInt64>
  private let sizes: UnsafeMutablePointer<UInt32>
  private var count = 0
  /// Resident objects, in no order: what is evicted when the caller has failed.
  private var residents: [ObjectID] = []
  /// The place in `residents` of each object, from 1; 0 for one that is not there.
  private var places: [UInt32]

  /// Events that are collected.
  private static let capacity = 4096

  /// A policy for an empty cache.
  init(_ callbacks: Callbacks, _ setup: PolicySetup) {
    self.callbacks = callbacks
    events = .allocate(capacity: Self.capacity)
    sizes = .allocate(capacity: Self.capacity)
    places = [UInt32](repeating: 0, count: setup.objects + 1)
    number = callbacks.create(
      larder_policy_setup(
        capacity: setup.capacity, counts_bytes: setup.unit == .bytes ? 1 : 0, seed: setup.seed,
        events: events, sizes: sizes))
  }

  deinit {
    flush()
    if let number { callbacks.destroy(number) }
    events.deallocate()
    sizes.deallocate()
  }

  /// Memory held, without what the caller has.
  var bytes: Int { 12 * Self.capacity + 4 * (places.count + residents.capacity) }

  /// Whether an object is resident: by this account or, where contracts are checked, by the
  /// caller's.
  @inline(__always)
  func contains(_ id: ObjectID) -> Bool {
    if callbacks.asksContains { return ask(id) }
    return places[Int(id)] != 0
  }

  @inline(never)
  private func ask(_ id: ObjectID) -> Bool {
    flush()
    guard let number, callbacks.failure == nil else { return places[Int(id)] != 0 }
    return callbacks.contains(number, id) ?? (places[Int(id)] != 0)
  }

  /// Something happened.
  @inline(__always)
  func note(_ event: Event, _ id: ObjectID, _ size: UInt32) {
    events[count] = event.rawValue << 32 | UInt64(id)
    sizes[count] = size
    count += 1
    if count == Self.capacity { flush() }
  }

  /// An object is stored.
  func insert(_ id: ObjectID, _ size: UInt32) {
    note(.insert, id, size)
    guard places[Int(id)] == 0 else { return }
    residents.append(id)
    places[Int(id)] = UInt32(residents.count)
  }

  /// An object is deleted, whether or not it is resident.
  func remove(_ id: ObjectID) {
    note(.remove, id, 0)
    forget(id)
  }

  /// What is given up.
  func evict() -> ObjectID {
    if let number, callbacks.failure == nil {
      let answer = callbacks.apply(number, count, evicts: true)
      count = 0
      if let answer {
        let victim = ObjectID(exactly: answer) ?? .none
        let isResident = Int(victim) < places.count && places[Int(victim)] != 0
        if isResident {
          forget(victim)
          return victim
        }
        // The checks of the contract have words of their own for it.
        if callbacks.asksContains { return victim }
        callbacks.fail("evict returned \(answer), which is not resident")
      }
    }
    guard let victim = residents.last else { return .none }
    forget(victim)
    return victim
  }

  /// Has the caller replay gets.
  func replay(
    _ objects: UnsafePointer<ObjectID>, _ sizes: UnsafePointer<UInt32>?, _ count: Int,
    _ gets: inout larder_gets
  ) {
    guard let number, callbacks.failure == nil else { return }
    _ = callbacks.replay(number, objects, sizes, count, &gets)
  }

  /// Makes room for ids up to `objects`.
  func reserve(_ objects: Int) {
    let missing = objects + 1 - places.count
    if missing > 0 { places += [UInt32](repeating: 0, count: missing) }
  }

  private func flush() {
    defer { count = 0 }
    guard count > 0, let number, callbacks.failure == nil else { return }
    _ = callbacks.apply(number, count, evicts: false)
  }

  private func forget(_ id: ObjectID) {
    let place = places[Int(id)]
    guard place != 0, let last = residents.popLast() else { return }
    places[Int(id)] = 0
    guard last != id else { return }
    residents[Int(place) - 1] = last
    places[Int(last)] = place
  }
}
