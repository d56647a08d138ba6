/// The admission filter of a tier.
@usableFromInline
struct TierFilter {
  @usableFromInline let rule: any AdmissionFilter
  @usableFromInline let comparesVictims: Bool
  @usableFromInline let watchesHits: Bool

  /// The filter that a setup asks for, or nil where it asks for none.
  ///
  /// - Throws: where there is no such filter, or one that compares victims stands before a policy
  ///   that cannot name its own.
  init?(_ setup: CacheTierSetup, policy: String, knowsVictim: Bool) throws(PolicyError) {
    guard let spec = setup.admission else { return nil }
    let made = try AdmissionRegistry.make(
      AdmissionSetup(
        capacity: setup.capacity, unit: setup.unit, seed: setup.seed, spec: spec,
        parts: setup.parts))
    guard let made else { return nil }
    rule = made
    comparesVictims = type(of: made).description.comparesVictims
    watchesHits = type(of: made).description.watchesHits
    if comparesVictims, !knowsVictim {
      throw .noVictim(admission: spec.name, policy: policy)
    }
  }
}
