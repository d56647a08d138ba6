import Larder

/// Operations with an exactly known effect, as in the test that kills processes.
enum CacheOperation {
  case set(Int, version: UInt64, isPermanent: Bool)
  case remove(Int)
  case renew(Int, version: UInt64)
  /// Removes the entries of a suite, at once or by a predicate.
  case removeSuite(Int, byPredicate: Bool)
  case get(Int)
  case flush

  /// Draws an operation; `number` makes its version unique.
  static func draw(_ random: inout SimulationRandom, number: UInt64) -> CacheOperation {
    let key = random.below(SimulatedKey.count)
    switch random.below(20) {
    case 0..<11: return .set(key, version: number, isPermanent: random.oneIn(8))
    case 11..<14: return .remove(key)
    case 14..<16: return .renew(key, version: number)
    case 16..<18: return .get(key)
    case 18: return .flush
    default:
      guard random.oneIn(4) else { return .get(key) }
      return .removeSuite(random.below(3), byPredicate: number.isMultiple(of: 2))
    }
  }

  /// Performs the operation, and throws `SimulationFailure` if the result contradicts `state`.
  ///
  /// - Parameters:
  ///   - mayMiss: True if a get may find nothing.
  ///   - isExact: True if removals and renewals know which keys have entries: an entry whose file
  ///     was lost counts until it is read.
  func perform(
    _ cache: BlockingDiskCache, _ state: CacheState, mayMiss: Bool = false, isExact: Bool = true
  ) throws {
    switch self {
    case .set(let number, let version, let isPermanent):
      let key = SimulatedKey(number: number)
      let isStored = try cache.set(
        SimulatedValue.make(number, version), for: key.key, suite: key.suite,
        options: DiskStoreOptions(version: "\(version)", isPermanent: isPermanent))
      try require(isStored, "key \(number) was not stored")
    case .remove(let number):
      let key = SimulatedKey(number: number)
      let wasThere = try cache.remove(key.key, suite: key.suite)
      try require(
        !isExact || wasThere == (state.entries[number] != nil),
        "remove(\(number)) says \(wasThere)")
    case .renew(let number, let version):
      let key = SimulatedKey(number: number)
      let wasThere = try cache.renew(key.key, suite: key.suite, version: "\(version)")
      try require(
        !isExact || wasThere == (state.entries[number] != nil),
        "renew(\(number)) says \(wasThere)")
    case .removeSuite(let suite, byPredicate: true):
      let name = SimulatedKey.suite(suite)
      try cache.remove { $0.name.suite == name }
    case .removeSuite(let suite, byPredicate: false):
      _ = try cache.removeAll(suite: SimulatedKey.suite(suite), includingPermanent: true)
    case .get(let number):
      let found = try CacheState.find(number, in: cache)
      let expected = state.entries[number]
      try require(
        found == expected || mayMiss && (found == nil || found?.value == expected?.value),
        "get(\(number)) found \(String(describing: found)), expected "
          + "\(String(describing: expected))")
    case .flush:
      try cache.flush()
    }
  }
}
