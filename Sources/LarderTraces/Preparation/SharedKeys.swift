import LarderEngine

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The keys of a `KeyTable` for threads that look them up while one thread adds to it.
///
/// A key that is found has its final number. One that is not found may have come in meanwhile: the
/// thread that numbers looks again, in the order of the trace.
final class SharedKeys: @unchecked Sendable {
  // Unchecked: the view is changed while nobody else has the lock; what it points to is written by
  // one thread, each slot once and after its key.
  private let gate: UnsafeMutablePointer<pthread_rwlock_t>
  private var lookups: KeyLookups?

  /// A table that is at rest.
  init(_ lookups: KeyLookups) {
    self.lookups = lookups
    gate = .allocate(capacity: 1)
    gate.initialize(to: pthread_rwlock_t())
    pthread_rwlock_init(gate, nil)
  }

  deinit {
    pthread_rwlock_destroy(gate)
    gate.deallocate()
  }

  /// Waits until nobody looks, and keeps others from it.
  func lock() { pthread_rwlock_wrlock(gate) }

  /// Lets others look again, at where the parts are now; they find nothing where there are none.
  func unlock(_ lookups: KeyLookups?) {
    self.lookups = lookups
    pthread_rwlock_unlock(gate)
  }

  /// Writes the ids of records to `ids`, 0 for those whose key is not found, and the places of
  /// these to `missing`. Returns how many those are.
  ///
  /// - Complexity: O(count) expected.
  func find(
    _ records: UnsafePointer<TraceRecord>, count: Int, into ids: UnsafeMutablePointer<ObjectID>,
    missing: UnsafeMutablePointer<UInt32>
  ) -> Int {
    withUnsafeTemporaryAllocation(
      of: KeyLookups.Lookup.self, capacity: KeyLookups.lookups
    ) { ring in
      pthread_rwlock_rdlock(gate)
      defer { pthread_rwlock_unlock(gate) }
      guard let ring = ring.baseAddress, let lookups else {
        for place in 0..<count {
          ids[place] = 0
          missing[place] = UInt32(truncatingIfNeeded: place)
        }
        return count
      }
      var misses = 0
      lookups.each(
        of: count, ring, key: { records[$0].key },
        look: { place, lookup in
          let id = lookups.find(records[place].key, lookup)
          ids[place] = id
          missing[misses] = UInt32(truncatingIfNeeded: place)
          misses &+= id == 0 ? 1 : 0
        })
      return misses
    }
  }
}
