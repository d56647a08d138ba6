import DiskSimulation
import Larder

enum ScheduledOperation: Sendable {
  case get(key: Int)
  case look(key: Int)
  case list
  case set(key: Int, life: UInt64?)
  case update(key: Int)
  case remove(key: Int)
  case removeAll
  case request(key: Int, CacheStrategy, mayBeCancelled: Bool)
  case follow(key: Int, mayBeCancelled: Bool)
  case cancel
  case advance(UInt64)
  case removeExpired
  case flush
  case trim(Int)
  case limit(Int)
  case ring
  case prewarm
  /// Would reveal that a key is reported as missing after it had a value: a get, the loss of the
  /// entry, and a request.
  case probe(key: Int)
  /// Gets of a key with some seconds between them.
  case linger(key: Int)
  case fail(SimulatedFault)

  struct Setting: Sendable {
    var keys: Int
    var shares: [(Kind, Int)]
    var strategies: [CacheStrategy]
    var lives: [UInt64?]
    var cancellableOneIn = 3

    /// Variant for clients that cancel many requests: continuing without them is the hard part.
    var impatient: Setting {
      var setting = onOneKey { kind, share in
        switch kind {
        case .cancel: 6
        case .remove, .request: 4
        case .follow: min(share, 2)
        case .get, .set: 1
        case .look, .list, .limit, .ring, .prewarm: 0
        default: share
        }
      }
      setting.cancellableOneIn = 1
      return setting
    }

    var insistent: Setting {
      onOneKey { kind, share in
        switch kind {
        case .probe: 6
        case .request, .set: 4
        case .remove: 3
        case .get, .update, .removeAll, .advance: min(share, 1)
        default: 0
        }
      }
    }

    /// Variant for clients that return repeatedly while time passes.
    var lingering: Setting {
      onOneKey { kind, share in
        switch kind {
        case .linger: 12
        case .set: 3
        case .get, .remove, .update, .ring: min(share, 1)
        default: 0
        }
      }
    }

    /// Variant with a single key and other shares.
    private func onOneKey(_ share: (Kind, Int) -> Int) -> Setting {
      var setting = self
      setting.keys = 1
      setting.shares = shares.map { ($0, share($0, $1)) }
      return setting
    }
  }

  enum Kind: Sendable {
    case get, set, update, remove, removeAll, request, cancel, advance, removeExpired, flush, trim
    case fail, probe, look, list, limit, ring, prewarm, linger, follow
  }

  static func draw(_ random: inout SimulationRandom, _ setting: Setting) -> ScheduledOperation {
    let key = random.below(setting.keys)
    switch kind(&random, setting) {
    case .get: return .get(key: key)
    case .set: return .set(key: key, life: random.pick(setting.lives).map { $0 * 1_000_000 })
    case .update: return .update(key: key)
    case .remove: return .remove(key: key)
    case .removeAll: return .removeAll
    case .request:
      let strategy = random.pick(setting.strategies)
      return .request(
        key: key, strategy, mayBeCancelled: random.oneIn(setting.cancellableOneIn))
    case .follow:
      return .follow(key: key, mayBeCancelled: random.oneIn(setting.cancellableOneIn))
    case .cancel: return .cancel
    case .advance: return .advance(UInt64(1 + random.below(6)))
    case .removeExpired: return .removeExpired
    case .flush: return .flush
    case .trim: return .trim(random.below(2))
    case .probe: return .probe(key: key)
    case .linger: return .linger(key: key)
    case .look: return .look(key: key)
    case .list: return .list
    case .limit: return .limit(random.below(6))
    case .ring: return .ring
    case .prewarm: return .prewarm
    case .fail:
      return .fail(
        SimulatedFault(
          random.pick(SimulatedFault.Kind.allCases), first: 1 + random.below(6),
          count: random.pick([1, 1, 5, .max])))
    }
  }

  private static func kind(_ random: inout SimulationRandom, _ setting: Setting) -> Kind {
    var rest = random.below(setting.shares.reduce(0) { $0 + $1.1 })
    for (kind, share) in setting.shares {
      if rest < share { return kind }
      rest -= share
    }
    return .get
  }
}
