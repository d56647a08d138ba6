/// Memory and disk as the rules of a hybrid see them: two tiers that know ids alone, as in a
/// simulation, or the two caches of a real one with keys and values.
///
/// What memory evicts in `putInMemory` and `promote` is kept by whoever conforms and offered to
/// `HybridRules.demote` afterwards, in order. Methods are mutating so that a conforming value can
/// note what became of an operation.
package protocol HybridTiers {
  /// What a request names, with all that storing it takes.
  associatedtype Object
  /// What a tier hands out of an object that it holds.
  associatedtype Copy
  /// What memory has evicted.
  associatedtype Victim

  /// Whether the object must be on disk whatever the rules say.
  func isPermanent(_ object: Object) -> Bool
  /// Whether a copy that disk handed out must stay there whatever the rules say.
  func isPermanent(_ copy: Copy) -> Bool
  /// The life that disk would give the object if it were stored now, microseconds; `UInt64.max` for
  /// one without end.
  func life(_ object: Object) -> UInt64
  /// What is left of the life of disk's copy of an object, microseconds; `UInt64.max` for no end.
  func lifeLeft(_ copy: Copy, of object: Object) -> UInt64
  /// What was left of the life of a victim, microseconds; 0 when it has expired.
  func lifeLeft(_ victim: Victim) -> UInt64
  /// Whether a victim must be on disk whatever the rules say, and so is there.
  func isPermanent(_ victim: Victim) -> Bool

  /// The copy on disk, which is then a reference to it.
  mutating func useOnDisk(_ object: Object) -> Copy?
  /// Whether disk holds the object, which is no reference to it.
  mutating func isOnDisk(_ object: Object) -> Bool
  /// Turns the mark over that says whether disk's copy was hit before, and says how it stood. It is
  /// not set when an object is stored.
  mutating func toggleHitBefore(_ object: Object) -> Bool

  /// Stores an object in memory or replaces it there, and says whether memory accepted it: it may
  /// have evicted it again all the same.
  mutating func putInMemory(_ object: Object) -> Bool
  /// Stores an object on disk or replaces it there.
  mutating func putOnDisk(_ object: Object)
  /// Stores disk's copy in memory, and says whether memory accepted it.
  mutating func promote(_ copy: Copy, of object: Object) -> Bool
  /// Stores a victim on disk, and says whether disk accepted it.
  mutating func demote(_ victim: Victim) -> Bool
  /// Removes the object from memory, where it is there, and what memory's policy remembers of it.
  mutating func removeFromMemory(_ object: Object)
  /// Removes the object from disk, where it is there, and what disk's policy remembers of it.
  mutating func removeFromDisk(_ object: Object)
}

/// Where a get was answered.
package enum HybridAnswer<Copy> {
  /// In memory.
  case memory(Copy)
  /// On disk; whether the copy was also stored in memory.
  case disk(Copy, isPromoted: Bool)
  /// Nowhere.
  case none
}
