/// What one operation of a tier evicted, in order, and what it forgot: memory that is used again
/// and again.
///
/// Valid for as long as its `Owner`: who passes it on counts no references.
@usableFromInline package struct VictimList {
  @usableFromInline struct Storage {
    @usableFromInline var base: UnsafeMutablePointer<ObjectID>
    @usableFromInline var count = 0
    @usableFromInline var forgotten = ObjectID.none
    @usableFromInline var candidate = ObjectID.none
    @usableFromInline var room: Int
    @usableFromInline var move: GhostMove?
  }

  // Two cache lines that nothing else is in: what is counted, and behind it the first victims.
  private static var bytes: Int { 128 }

  @usableFromInline let storage: UnsafeMutablePointer<Storage>

  /// Has the memory of a list.
  @usableFromInline final class Owner {
    /// The list, which is empty at first.
    @usableFromInline let list = VictimList()

    @usableFromInline init() {}

    deinit { list.deallocate() }
  }

  private init() {
    storage = UnsafeMutableRawPointer.allocate(byteCount: Self.bytes, alignment: Self.bytes)
      .bindMemory(to: Storage.self, capacity: 1)
    let places = (Self.bytes - MemoryLayout<Storage>.stride) / MemoryLayout<ObjectID>.stride
    storage.initialize(to: Storage(base: Self.firstPlaces(storage), room: places))
  }

  private func deallocate() {
    if storage.pointee.base != Self.firstPlaces(storage) { storage.pointee.base.deallocate() }
    UnsafeMutableRawPointer(storage).deallocate()
  }

  private static func firstPlaces(
    _ storage: UnsafeMutablePointer<Storage>
  ) -> UnsafeMutablePointer<ObjectID> {
    UnsafeMutableRawPointer(storage + 1).assumingMemoryBound(to: ObjectID.self)
  }

  /// Where the list is: only to be brought near.
  @usableFromInline package var place: UnsafeRawPointer { UnsafeRawPointer(storage) }

  /// How many there are.
  @inlinable package var count: Int { storage.pointee.count }

  /// The victim at a place, which must exist.
  @inlinable package subscript(place: Int) -> ObjectID {
    assert(place < storage.pointee.count)
    return storage.pointee.base[place]
  }

  /// A ghost of which the policy knows nothing any more, not among the victims; or `.none`, which
  /// does not say that there is none.
  @inlinable package var forgotten: ObjectID { storage.pointee.forgotten }

  /// What may well be evicted before long, as the last `set` left it; `.none` where nobody can say.
  @inlinable package var candidate: ObjectID { storage.pointee.candidate }

  /// What became of the only victim of the last `set`, if that was asked already: see
  /// `ThreeQueues.settle`.
  @inlinable package var move: GhostMove? { storage.pointee.move }

  /// Notes what became of the only victim.
  @inlinable @inline(__always) func noteMove(_ move: GhostMove?) { storage.pointee.move = move }

  /// Memory held, in bytes.
  @usableFromInline var bytes: Int {
    let isElsewhere = storage.pointee.base != Self.firstPlaces(storage)
    return Self.bytes + (isElsewhere ? storage.pointee.room * MemoryLayout<ObjectID>.stride : 0)
  }

  /// Takes all out.
  @inlinable @inline(__always) func clear() { storage.pointee.count = 0 }

  /// Notes a ghost that was forgotten after the victims are known.
  @inlinable @inline(__always) func noteForgotten(_ id: ObjectID) {
    // A victim may have been a ghost for a moment. It is told of once.
    let isVictim = id != .none && (0..<count).contains { self[$0] == id }
    storage.pointee.forgotten = isVictim ? .none : id
  }

  /// Notes what may well be evicted before long.
  @inlinable @inline(__always) func noteCandidate(_ id: ObjectID) { storage.pointee.candidate = id }

  /// Adds a victim.
  @inlinable @inline(__always) func append(_ id: ObjectID) {
    if storage.pointee.count == storage.pointee.room { grow() }
    storage.pointee.base[storage.pointee.count] = id
    storage.pointee.count += 1
  }

  @usableFromInline @inline(never) func grow() {
    let room = storage.pointee.room * 2
    let larger = UnsafeMutablePointer<ObjectID>.allocate(capacity: room)
    larger.initialize(from: storage.pointee.base, count: storage.pointee.count)
    if storage.pointee.base != Self.firstPlaces(storage) { storage.pointee.base.deallocate() }
    storage.pointee.base = larger
    storage.pointee.room = room
  }
}
