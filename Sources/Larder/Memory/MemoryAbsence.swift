import Synchronization

/// That the origin has no value for a key, as a load has found.
///
/// It counts from when the load has found, with the lock of the key's shard held, that nobody has
/// set or removed the key meanwhile, until the next set or removal of the key, which holds that
/// lock, too. So nobody is told that there is no value who comes after somebody who was given one,
/// or who has begun to load it anew.
final class MemoryAbsence: Sendable {
  private let counts = Atomic(false)

  /// Whether it is an answer to requests.
  var isKnown: Bool { counts.load(ordering: .acquiring) }

  /// It is an answer from now on; the lock of the key's shard is held.
  func confirm() { counts.store(true, ordering: .sequentiallyConsistent) }

  /// The key is being set or removed, and the lock of its shard is held.
  func revoke() { counts.store(false, ordering: .sequentiallyConsistent) }
}
