public import CLarderShims
public import LarderEngine
public import Synchronization

/// Records that are read while they are written.
///
/// Where keys and values are nothing but bytes, a reader need not keep writers away: it copies what
/// it wants and then looks whether it was changed meanwhile. A record's *version* is odd while key
/// or value are being written, and another number before and after. (Lameter, Effective
/// synchronization on Linux/NUMA systems, Gelato Conference 2005: sequence locks; Boehm, Can
/// seqlocks get along with programming language memory models?, MSPC 2012, for the fences; what
/// pairs with what is in Synchronisation.md.)
extension ShardRecords where Key: Equatable {
  /// Before key or value are written.
  @inlinable
  @inline(__always)
  func open(_ id: ObjectID) {
    guard Self.haveVersions, hasVersions else { return }
    let version = version(id)
    version.pointee.store(version.pointee.load(ordering: .relaxed) | 1, ordering: .relaxed)
    atomicMemoryFence(ordering: .releasing)
  }

  /// After key or value were written.
  @inlinable
  @inline(__always)
  func close(_ id: ObjectID) {
    guard Self.haveVersions, hasVersions else { return }
    let version = version(id)
    larder_end_protection(version, (version.pointee.load(ordering: .relaxed) | 1) &+ 1)
  }

  /// Puts a key or a value of `id` where none is; the record is open.
  @inlinable
  @inline(__always)
  func put<Part>(_ part: Part, at place: UnsafeMutablePointer<Part>, of id: ObjectID) {
    if Self.haveVersions {
      assert(
        !hasVersions || version(id).pointee.load(ordering: .relaxed) & 1 == 1,
        "readers may be copying record \(id): it is not open")
      SharedBytes.write(part, to: place)
    } else {
      place.initialize(to: part)
    }
  }

  /// Whether a record is of the same version as before everything that was read of it.
  @inlinable
  @inline(__always)
  func isStill(_ version: UInt32, _ id: ObjectID) -> Bool {
    #if LARDER_SCHEDULES
      if ScheduleFault.planted == .tornRead { return true }
    #endif
    atomicMemoryFence(ordering: .acquiring)
    return self.version(id).pointee.load(ordering: .relaxed) == version
  }
}
