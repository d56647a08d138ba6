import LarderEngine
import Synchronization

/// The origin's version of each object, and which versions a cache may still hold.
///
/// Every set, delete and modify makes a new version. What a cache may answer is known from the
/// writes (fills, sets and removes) that it was given. A write that had the object to itself, with
/// no other write to it under way from its beginning to its end, leaves nothing older in the cache:
/// its version becomes the *floor*. While writes overlap the cache may keep any of them, and the
/// floor stays. A fill counts as under way from before it asks the origin for the version, so a
/// slow fill that overwrites a newer set is not held against the cache. A get may thus return
/// versions from the floor at its beginning to the version current at its end. With one thread
/// every write is alone, and the floor is the one version that can be there.
struct ObjectVersions: @unchecked Sendable {
  // Low half: the floor. Next 10 bits: writes under way. The rest: writes begun, wrapping around.
  private let writes: UnsafeMutablePointer<Atomic<UInt64>>
  private let versions: UnsafeMutablePointer<Atomic<UInt32>>
  private let count: Int
  private let isShared: Bool

  private static var oneUnderWay: UInt64 { 1 << 32 }
  private static var oneBegun: UInt64 { 1 << 42 }
  private static var floorMask: UInt64 { 0xFFFF_FFFF }

  /// A write that has begun.
  struct Write {
    var begun: UInt64
    var isAlone: Bool
  }

  /// The first version of each object, which is 1.
  ///
  /// - Parameters:
  ///   - objects: the largest id; 0 where versions never change and need not be kept.
  ///   - isShared: whether more than one thread will ask.
  ///   - memory: what it may be used as long as.
  init(objects: Int, isShared: Bool, in memory: HarnessMemory) {
    count = objects == 0 ? 0 : objects + 1
    self.isShared = isShared
    writes = memory.allocate(count) { _ in Atomic(1) }
    versions = memory.allocate(count) { _ in Atomic(1) }
  }

  /// The origin's version.
  @inline(__always)
  func current(_ id: ObjectID) -> UInt32 {
    count == 0 ? 1 : versions[Int(id)].load(ordering: .acquiring)
  }

  /// The oldest version that a get which begins now may return.
  @inline(__always)
  func floor(_ id: ObjectID) -> UInt32 {
    guard count > 0 else { return 1 }
    return UInt32(truncatingIfNeeded: writes[Int(id)].load(ordering: .acquiring))
  }

  /// Makes a new version and returns it.
  func advance(_ id: ObjectID) -> UInt32 {
    guard count > 0 else { return 1 }
    if isShared {
      return versions[Int(id)].wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
    }
    let version = versions[Int(id)].load(ordering: .relaxed) &+ 1
    versions[Int(id)].store(version, ordering: .relaxed)
    return version
  }

  /// A write to the cache begins.
  @inline(__always)
  func begin(_ id: ObjectID) -> Write {
    guard count > 0, isShared else { return Write(begun: 0, isAlone: true) }
    let word = writes[Int(id)].wrappingAdd(
      Self.oneUnderWay &+ Self.oneBegun, ordering: .acquiringAndReleasing
    ).newValue
    return Write(
      begun: word / Self.oneBegun,
      isAlone: word % Self.oneBegun / Self.oneUnderWay == 1)
  }

  /// A write of a version has ended.
  @inline(__always)
  func end(_ write: Write, of id: ObjectID, version: UInt32) {
    guard count > 0 else { return }
    guard isShared else {
      writes[Int(id)].store(UInt64(version), ordering: .relaxed)
      return
    }
    var word = writes[Int(id)].load(ordering: .relaxed)
    while true {
      var next = word &- Self.oneUnderWay
      if write.isAlone, word / Self.oneBegun == write.begun {
        next = next & ~Self.floorMask | UInt64(version)
      }
      let (exchanged, original) = writes[Int(id)].weakCompareExchange(
        expected: word, desired: next, ordering: .acquiringAndReleasing)
      if exchanged { return }
      word = original
    }
  }
}
