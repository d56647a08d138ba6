/// The objects that one operation of a tier evicted, in order, in reused memory.
///
/// Valid as long as its `Owner`; passing it on needs no reference counting.
@usableFromInline package struct VictimList {
  @usableFromInline struct Storage {
    @usableFromInline var base: UnsafeMutablePointer<ObjectID>
    @usableFromInline var count = 0
    @usableFromInline var candidate = ObjectID.none
    @usableFromInline var room: Int
    @usableFromInline var move: GhostMove?
  }

  // Two cache lines of its own: the counters, followed by the first victims.
  private static var bytes: Int { 128 }

  @usableFromInline let storage: UnsafeMutablePointer<Storage>

  @usableFromInline final class Owner {
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

  @usableFromInline package var place: UnsafeRawPointer { UnsafeRawPointer(storage) }

  @inlinable package var count: Int { storage.pointee.count }

  @inlinable package subscript(place: Int) -> ObjectID {
    assert(place < storage.pointee.count)
    return storage.pointee.base[place]
  }

  @inlinable package var candidate: ObjectID { storage.pointee.candidate }

  @inlinable package var move: GhostMove? { storage.pointee.move }

  @inlinable @inline(__always) func noteMove(_ move: GhostMove?) { storage.pointee.move = move }

  @usableFromInline var bytes: Int {
    let isElsewhere = storage.pointee.base != Self.firstPlaces(storage)
    return Self.bytes + (isElsewhere ? storage.pointee.room * MemoryLayout<ObjectID>.stride : 0)
  }

  @inlinable @inline(__always) package func clear() { storage.pointee.count = 0 }

  @inlinable @inline(__always) func noteCandidate(_ id: ObjectID) { storage.pointee.candidate = id }

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
