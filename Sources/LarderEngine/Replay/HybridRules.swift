/// Memory and disk, as the rules of a hybrid see them: two tiers of ids in a simulation, or the two
/// caches of a real hybrid. Conforming types keep the objects that memory evicts in `putInMemory`
/// and `promote`, and offer them to `HybridRules.demote` afterwards, in order.
package protocol HybridTiers {
  associatedtype Object
  associatedtype Copy
  associatedtype Victim

  /// True if the object must be on disk regardless of the rules.
  func isPermanent(_ object: Object) -> Bool
  /// True if a copy returned by disk must stay there regardless of the rules.
  func isPermanent(_ copy: Copy) -> Bool
  func life(_ object: Object) -> UInt64
  func lifeLeft(_ copy: Copy, of object: Object) -> UInt64
  func lifeLeft(_ victim: Victim) -> UInt64
  /// True if a victim must be on disk regardless of the rules, and therefore is.
  func isPermanent(_ victim: Victim) -> Bool

  /// Returns the copy on disk, which counts as a request for it.
  mutating func useOnDisk(_ object: Object) -> Copy?
  /// True if disk holds the object; does not count as a request.
  mutating func isOnDisk(_ object: Object) -> Bool
  /// Toggles the flag of disk's copy for an earlier hit, and returns its old value. The flag is
  /// cleared when an object is stored.
  mutating func toggleHitBefore(_ object: Object) -> Bool

  /// Stores or replaces an object in memory, and returns true if memory accepted it; it may have
  /// evicted it again.
  mutating func putInMemory(_ object: Object) -> Bool
  mutating func putOnDisk(_ object: Object)
  mutating func promote(_ copy: Copy, of object: Object) -> Bool
  mutating func demote(_ victim: Victim) -> Bool
  mutating func removeFromMemory(_ object: Object)
  mutating func removeFromDisk(_ object: Object)
}

/// Tiers that answer a get.
package enum HybridAnswer<Copy> {
  case memory(Copy)
  /// On disk, and true if the copy was also stored in memory.
  case disk(Copy, isPromoted: Bool)
  case none
}

/// The decisions of a cache with memory in front of disk, shared by the simulator and the real
/// cache, which provide the tiers.
extension HybridRules {
  @inline(__always) package func getFromDisk<Tiers: HybridTiers>(
    _ object: Tiers.Object, in tiers: inout Tiers
  ) -> HybridAnswer<Tiers.Copy> {
    guard let copy = tiers.useOnDisk(object) else { return .none }
    return .disk(copy, isPromoted: promote(copy, of: object, in: &tiers))
  }

  @inline(__always) package func promote<Tiers: HybridTiers>(
    _ copy: Tiers.Copy, of object: Tiers.Object, in tiers: inout Tiers
  ) -> Bool {
    // Some policies evict an object on a hit.
    guard promotion != .never, tiers.isOnDisk(object),
      placement == nil || mayTake(life: tiers.lifeLeft(copy, of: object)).memory,
      promotion == .always || tiers.toggleHitBefore(object),
      tiers.promote(copy, of: object)
    else { return false }
    if inclusion == .exclusive, !tiers.isPermanent(copy) { tiers.removeFromDisk(object) }
    return true
  }

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

  @inline(__always) package var demotes: Bool { inclusion == .exclusive }

  @inline(__always) package func demote<Tiers: HybridTiers>(
    _ victim: Tiers.Victim, in tiers: inout Tiers
  ) -> Bool {
    guard demotes, !tiers.isPermanent(victim) else { return false }
    let life = tiers.lifeLeft(victim)
    guard life > 0, placement == nil || mayTake(life: life).disk else { return false }
    return tiers.demote(victim)
  }

  @inline(__always) package func delete<Tiers: HybridTiers>(
    _ object: Tiers.Object, in tiers: inout Tiers
  ) {
    tiers.removeFromMemory(object)
    tiers.removeFromDisk(object)
  }

  @inline(__always) package func mayTake(life: UInt64) -> (memory: Bool, disk: Bool) {
    guard let placement else { return (true, true) }
    let isShort = life < UInt64(placement.memoryOnlyBelowSeconds) * 1_000_000
    let isLong = life >= UInt64(placement.diskOnlyFromSeconds) * 1_000_000
    return (memory: isShort || !isLong, disk: !isShort)
  }
}
