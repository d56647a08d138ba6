/// The decisions of a cache with memory in front of disk. They are made here and nowhere else: the
/// simulator and the real cache bring their tiers.
extension HybridRules {
  /// A get that memory did not answer, as far as disk can answer it. Where it cannot, `store` of
  /// what the origin gives is to follow.
  @inline(__always)
  package func getFromDisk<Tiers: HybridTiers>(
    _ object: Tiers.Object, in tiers: inout Tiers
  ) -> HybridAnswer<Tiers.Copy> {
    guard let copy = tiers.useOnDisk(object) else { return .none }
    return .disk(copy, isPromoted: promote(copy, of: object, in: &tiers))
  }

  /// Brings a copy that a hit on disk has read into memory where the rules want that, and says
  /// whether memory accepted it.
  @inline(__always)
  package func promote<Tiers: HybridTiers>(
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
  @inline(__always)
  package func store<Tiers: HybridTiers>(
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
  @inline(__always)
  package var demotes: Bool { inclusion == .exclusive }

  /// Moves to disk what memory has evicted, and says whether it is there.
  @inline(__always)
  package func demote<Tiers: HybridTiers>(
    _ victim: Tiers.Victim, in tiers: inout Tiers
  ) -> Bool {
    guard demotes, !tiers.isPermanent(victim) else { return false }
    let life = tiers.lifeLeft(victim)
    guard life > 0, placement == nil || mayTake(life: life).disk else { return false }
    return tiers.demote(victim)
  }

  /// Removes an object everywhere.
  @inline(__always)
  package func delete<Tiers: HybridTiers>(_ object: Tiers.Object, in tiers: inout Tiers) {
    tiers.removeFromMemory(object)
    tiers.removeFromDisk(object)
  }

  /// Which tiers may take an entry that has so much life left, microseconds.
  @inline(__always)
  package func mayTake(life: UInt64) -> (memory: Bool, disk: Bool) {
    guard let placement else { return (true, true) }
    let isShort = life < UInt64(placement.memoryOnlyBelowSeconds) * 1_000_000
    let isLong = life >= UInt64(placement.diskOnlyFromSeconds) * 1_000_000
    return (memory: isShort || !isLong, disk: !isShort)
  }
}
