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

/// The decisions of a cache with memory in front of disk. They are made here and nowhere else: the
/// simulator and the real cache bring their tiers.
extension HybridRules {
  /// A get that memory did not answer, as far as disk can answer it. Where it cannot, `store` of
  /// what the origin gives is to follow.
  @inline(__always) package func getFromDisk<Tiers: HybridTiers>(
    _ object: Tiers.Object, in tiers: inout Tiers
  ) -> HybridAnswer<Tiers.Copy> {
    guard let copy = tiers.useOnDisk(object) else { return .none }
    return .disk(copy, isPromoted: promote(copy, of: object, in: &tiers))
  }

  /// Brings a copy that a hit on disk has read into memory where the rules want that, and says
  /// whether memory accepted it.
  @inline(__always) package func promote<Tiers: HybridTiers>(
    _ copy: Tiers.Copy, of object: Tiers.Object, in tiers: inout Tiers
  ) -> Bool {
    // Some policies give an object up on a hit.
    guard promotion != .never, tiers.isOnDisk(object),
      placement == nil || mayTake(life: tiers.lifeLeft(copy, of: object)).memory,
      promotion == .always || tiers.toggleHitBefore(object),
      tiers.promote(copy, of: object)
    else { return false }
    if inclusion == .exclusive, !tiers.isPermanent(copy) { tiers.removeFromDisk(object) }
    return true
  }

  /// Stores what the origin gave for an object that neither tier holds (`isFill`), or what a set
  /// brings.
  @inline(__always) package func store<Tiers: HybridTiers>(
    _ object: Tiers.Object, isFill: Bool, in tiers: inout Tiers
  ) {
    var (memory, disk) = (true, true)
    if placement != nil { (memory, disk) = mayTake(life: tiers.life(object)) }
    if tiers.isPermanent(object) { disk = true }
    let isBoth = inclusion == .inclusive || tiers.isPermanent(object)
    if isBoth, disk {
      tiers.putOnDisk(object)
    } else if !isFill {
      tiers.removeFromDisk(object)
    }
    if memory {
      if tiers.putInMemory(object) { return }
    } else if !isFill {
      tiers.removeFromMemory(object)
    }
    if !isBoth, disk { tiers.putOnDisk(object) }
  }

  /// Whether memory's victims are to be offered to `demote`.
  @inline(__always) package var demotes: Bool { inclusion == .exclusive }

  /// Moves to disk what memory has evicted, and says whether it is there.
  @inline(__always) package func demote<Tiers: HybridTiers>(
    _ victim: Tiers.Victim, in tiers: inout Tiers
  ) -> Bool {
    guard demotes, !tiers.isPermanent(victim) else { return false }
    let life = tiers.lifeLeft(victim)
    guard life > 0, placement == nil || mayTake(life: life).disk else { return false }
    return tiers.demote(victim)
  }

  /// Removes an object everywhere.
  @inline(__always) package func delete<Tiers: HybridTiers>(
    _ object: Tiers.Object, in tiers: inout Tiers
  ) {
    tiers.removeFromMemory(object)
    tiers.removeFromDisk(object)
  }

  /// Which tiers may take an entry that has so much life left, microseconds.
  @inline(__always) package func mayTake(life: UInt64) -> (memory: Bool, disk: Bool) {
    guard let placement else { return (true, true) }
    let isShort = life < UInt64(placement.memoryOnlyBelowSeconds) * 1_000_000
    let isLong = life >= UInt64(placement.diskOnlyFromSeconds) * 1_000_000
    return (memory: isShort || !isLong, disk: !isShort)
  }
}
