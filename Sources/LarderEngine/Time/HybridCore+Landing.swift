/// What the end of a read or a fetch does to the tiers of a simulated hybrid. Objects have the end
/// of their flight as their `now`.
extension HybridCore {
  /// The time is `now`; policies that are told of requests hear of `last`, see
  /// `FlightBoard.landing`.
  func advance(to now: UInt64, last: UInt64) {
    memory.advance?(now, last)
    disk.advance?(now, last)
  }

  /// A read from disk has ended: the rules for promotion are asked now, about the copy that disk
  /// holds now. What disk has given up meanwhile, or memory holds already, is not promoted.
  func endRead(_ object: Object) {
    memory.evicted.clear()
    let id = object.request.id
    guard !memory.holds(id, object.now), disk.holds(id, object.now) else { return }
    let copy = TierCopy(
      size: disk.tier.size(id), isStale: disk.isStale(id), expires: disk.tier.expiry(id),
      cost: disk.cost(id))
    var tiers = self
    if rules.promote(copy, of: object, in: &tiers) { promotions += 1 }
    demoteVictims(of: object)
  }

  /// A fetch from the origin has ended: what it brings is stored, unless a tier holds it already.
  func endFetch(_ object: Object) {
    memory.evicted.clear()
    let id = object.request.id
    guard !memory.holds(id, object.now), !disk.holds(id, object.now) else { return }
    // What is still there has expired.
    if memory.tier.contains(id) { memory.tier.remove(id) }
    if disk.tier.contains(id) { disk.tier.remove(id) }
    var tiers = self
    rules.store(object, isFill: true, in: &tiers)
    demoteVictims(of: object)
  }
}
