import DiskSimulation
import Larder

/// What a client does next.
enum ScheduledOperation: Sendable {
  case get(key: Int)
  /// Looks whether a key has a value; no reference to it.
  case look(key: Int)
  /// Asks which keys have a value.
  case list
  case set(key: Int, life: UInt64?)
  case update(key: Int)
  case remove(key: Int)
  case removeAll
  /// A request, in a task of its own when somebody may cancel it.
  case request(key: Int, CacheStrategy, mayBeCancelled: Bool)
  /// A request for what is there and for what the origin has, as `updates` makes.
  case follow(key: Int, mayBeCancelled: Bool)
  /// Cancels one of the requests under way.
  case cancel
  /// Moves the clock by seconds.
  case advance(UInt64)
  case removeExpired
  case flush
  /// Memory gives up all but so many entries.
  case trim(Int)
  /// The limits are changed to more or less.
  case limit(Int)
  /// The alarm for what has expired rings, if it is set.
  case ring
  /// Requests for all keys, some at a time.
  case prewarm
  /// What would show that a key is told to have no value after it had one: a get, the loss of what
  /// is there, and a request.
  case probe(key: Int)
  /// Gets of a key with some seconds between them.
  case linger(key: Int)
  /// Calls of the disk begin to fail.
  case fail(SimulatedFault)

  /// What an operation is drawn from.
  struct Setting: Sendable {
    var keys: Int
    /// In each case the share of operations of this kind.
    var shares: [(Kind, Int)]
    var strategies: [CacheStrategy]
    /// In seconds; nil is for ever.
    var lives: [UInt64?]
    /// One request in so many may be cancelled.
    var cancellableOneIn = 3

    /// The same for clients that give up a lot: what goes on behind them is the hard part.
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

    /// The same for clients that ask again for what they have just changed.
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

    /// The same for clients that come back again and again while the time goes on.
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

    /// The same with a single key and other shares.
    private func onOneKey(_ share: (Kind, Int) -> Int) -> Setting {
      var setting = self
      setting.keys = 1
      setting.shares = shares.map { ($0, share($0, $1)) }
      return setting
    }
  }

  /// The kinds of operations.
  enum Kind: Sendable {
    case get, set, update, remove, removeAll, request, cancel, advance, removeExpired, flush, trim
    case fail, probe, look, list, limit, ring, prewarm, linger, follow
  }

  /// One of them.
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
