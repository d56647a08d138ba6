import Dispatch
import LarderEngine
import Synchronization

/// Wakes a cache when the next of its entries expires.
@usableFromInline final class PromptExpiry: Sendable {
  /// An entry leaves up to so many microseconds after its expiry.
  let granule: UInt64
  private let clock: any CacheClock
  private let alarm: any ExpiryAlarm
  /// The instant for which the alarm is set; `UInt64.max` for none. Changed under `lock`.
  private let instant = Atomic<UInt64>(.max)
  // Not `Locked`: the thread sanitizer takes a value without bytes for the lock beside it.
  private let lock = SleepingLock()

  /// Nobody is woken before `start`.
  init(granule: UInt64, clock: any CacheClock, alarm: (any ExpiryAlarm)?) {
    self.granule = granule
    self.clock = clock
    self.alarm = alarm ?? DispatchAlarm(leeway: granule / 8)
  }

  /// Calls `ring` when the alarm rings; for the next time it has to be woken again.
  func start(_ ring: @escaping @Sendable () -> Void) {
    alarm.start { [weak self] in
      guard let self else { return }
      #if LARDER_SCHEDULES
        if ScheduleFault.planted == .lateAlarm { ring() }
      #endif
      // Before the cache looks: what is stored from now on sets the alarm itself.
      self.lock.lock()
      self.instant.store(.max, ordering: .relaxed)
      self.lock.unlock()
      #if LARDER_SCHEDULES
        if ScheduleFault.planted == .lateAlarm { return }
      #endif
      ring()
    }
  }

  /// Has the alarm ring at an instant of the cache's clock, or earlier if it is set to that.
  func wake(at wanted: UInt64) {
    if wanted >= instant.load(ordering: .relaxed) { return }
    lock.lock()
    defer { lock.unlock() }
    if wanted >= instant.load(ordering: .relaxed) { return }
    instant.store(wanted, ordering: .relaxed)
    // Not at once: the cache's clock may be some milliseconds behind the alarm's.
    let now = clock.nowMicroseconds
    alarm.set(after: max(1_000, wanted - min(wanted, now)))
  }

  /// Wakes nobody any more.
  func stop() { alarm.stop() }
}

/// The ids of a shard in the order in which their entries expire, to a tick.
///
/// A hierarchical timing wheel: level 0 has a slot for each of the next 64 ticks, level 1 one for
/// each of the next 64 turns of level 0, and so on; when a turn begins, its slot is spread over the
/// level below. (Varghese and Lauck, Hashed and hierarchical timing wheels, SOSP 1987, scheme 7.)
/// A mask for each level says which slots are taken, so time without entries takes no time. An id
/// is in one slot at most. Setting it is O(1), and it is moved down at most once a level.
///
/// When an id's entry expires is asked when its turn comes: an entry whose expiry was put off in
/// between is moved then, and of one that is gone nothing has to be told.
struct ExpiryWheel {
  private static let levels = 6
  /// Slots of a level are 2^6, and their lists begin at nodes 0 to `slots` - 1.
  private static let digit: UInt64 = 6
  private static let slots = levels << 6
  private static let reach: UInt64 = 1 << (digit * UInt64(levels))
  private static let unlinked = UInt32.max

  /// A tick is 2^shift microseconds.
  let shift: UInt64
  /// The last tick that is over, counted from the clock's beginning.
  private var tick: UInt64
  private var masks = [UInt64](repeating: 0, count: levels)
  // Rings with a node for each slot, and then one for each id.
  private var next: [UInt32]
  private var previous: [UInt32]

  /// An empty wheel for ids up to `room`, with ticks of up to `granule` microseconds, at least 1.
  init(room: Int, granule: UInt64, now: UInt64) {
    shift = UInt64(63 - max(1, granule).leadingZeroBitCount)
    tick = now >> shift
    next = (0..<UInt32(Self.slots)).map { $0 }
    previous = next
    reserve(room: room)
  }

  /// Makes room for ids up to `room`. O(`room`).
  mutating func reserve(room: Int) {
    let missing = Self.slots + room + 1 - next.count
    guard missing > 0 else { return }
    next += repeatElement(Self.unlinked, count: missing)
    previous += repeatElement(Self.unlinked, count: missing)
  }

  /// Memory held, in bytes.
  var bytes: Int { (next.capacity + previous.capacity) * MemoryLayout<UInt32>.stride }

  /// Sets when the entry of an id expires, microseconds; `UInt64.max` for never. O(1).
  mutating func set(_ id: ObjectID, expires: UInt64, now: UInt64) {
    let node = Self.node(id)
    if next[node] != Self.unlinked { unlink(node) }
    guard expires != .max else { return }
    if masks.allSatisfy({ $0 == 0 }) { tick = max(tick, now >> shift) }
    link(node, expires: expires)
  }

  /// When the next slot comes, microseconds; `UInt64.max` where all are empty. O(1).
  var nextInstant: UInt64 {
    let next = nextTick
    return next > UInt64.max >> shift ? .max : next << shift
  }

  /// Goes on to `now` and takes out the ids that are due. Amortised O(1) for each.
  ///
  /// - Parameter expires: When an id's entry expires; nil if it has none.
  mutating func advance(to now: UInt64, expires: (ObjectID) -> UInt64?) -> [ObjectID] {
    var due: [ObjectID] = []
    let target = now >> shift
    while nextTick <= target {
      tick = nextTick
      for level in (0..<Self.levels).reversed() {
        let shift = Self.digit * UInt64(level)
        // A slot of this level begins only when all levels below are at their beginning.
        guard tick & (1 << shift - 1) == 0 else { continue }
        for id in take(level, Int(tick >> shift & 63)) {
          guard let expires = expires(id) else { continue }
          if expires <= now { due.append(id) } else { set(id, expires: expires, now: now) }
        }
      }
    }
    tick = max(tick, target)
    return due
  }

  // MARK: Slots

  private static func node(_ id: ObjectID) -> Int { slots + Int(id) }

  /// The next tick at which a slot begins that is not empty; more than all ticks if there is none.
  private var nextTick: UInt64 {
    var first = UInt64.max
    for level in 0..<Self.levels where masks[level] != 0 {
      let shift = Self.digit * UInt64(level)
      let turn = tick >> shift
      // The slot behind the current one is the first of the mask once it is turned.
      let behind = (turn + 1) & 63
      let turned = masks[level] >> behind | (behind == 0 ? 0 : masks[level] << (64 - behind))
      first = min(first, (turn + 1 + UInt64(turned.trailingZeroBitCount)) << shift)
    }
    return first
  }

  private mutating func link(_ node: Int, expires: UInt64) {
    // The first tick by which it has expired, as far as the wheel reaches.
    let over = (max(1, expires) - 1) >> shift + 1
    let wanted = min(max(over, tick + 1), tick + Self.reach - 1)
    let level = (63 - (wanted - tick).leadingZeroBitCount) / Int(Self.digit)
    let slot = Int(wanted >> (Self.digit * UInt64(level)) & 63)
    masks[level] |= 1 << UInt64(slot)
    let head = level << 6 | slot
    let last = Int(previous[head])
    next[last] = UInt32(node)
    previous[node] = UInt32(last)
    next[node] = UInt32(head)
    previous[head] = UInt32(node)
  }

  private mutating func unlink(_ node: Int) {
    let (before, behind) = (Int(previous[node]), Int(next[node]))
    next[before] = UInt32(behind)
    previous[behind] = UInt32(before)
    next[node] = Self.unlinked
    if before == behind { masks[before >> 6] &= ~(1 << UInt64(before & 63)) }
  }

  /// Empties a slot and returns what was in it.
  private mutating func take(_ level: Int, _ slot: Int) -> [ObjectID] {
    guard masks[level] >> UInt64(slot) & 1 == 1 else { return [] }
    masks[level] &= ~(1 << UInt64(slot))
    let head = level << 6 | slot
    var ids: [ObjectID] = []
    var node = Int(next[head])
    while node != head {
      ids.append(ObjectID(node - Self.slots))
      let behind = Int(next[node])
      next[node] = Self.unlinked
      node = behind
    }
    next[head] = UInt32(head)
    previous[head] = UInt32(head)
    return ids
  }
}

/// Rings at a time: the system's timer, or a test.
package protocol ExpiryAlarm: Sendable {
  /// Calls `ring` from then on whenever the alarm rings, on any thread and once at a time. Called
  /// once.
  func start(_ ring: @escaping @Sendable () -> Void)

  /// Rings once, so many microseconds from now, instead of what was set before. Called with a
  /// lock held: it must not ring at once.
  func set(after microseconds: UInt64)

  /// Rings no more.
  func stop()
}

/// A timer of the dispatch library. It has no thread while it waits.
final class DispatchAlarm: ExpiryAlarm {
  private struct Active: @unchecked Sendable {
    let timer: any DispatchSourceTimer
  }

  private let active: Active
  private let leeway: DispatchTimeInterval

  /// An alarm that may be `leeway` microseconds late, so that the system can wake for several
  /// timers at once.
  init(leeway: UInt64) {
    self.leeway = .microseconds(Int(clamping: leeway))
    active = Active(
      timer: DispatchSource.makeTimerSource(
        queue: DispatchQueue(label: "larder.expiry", qos: .utility)))
    active.timer.schedule(deadline: .distantFuture)
    // One that was never activated must not be destroyed.
    active.timer.activate()
  }

  deinit { stop() }

  func start(_ ring: @escaping @Sendable () -> Void) { active.timer.setEventHandler(handler: ring) }

  func set(after microseconds: UInt64) {
    // A year is enough: it rings early then, and is set again.
    let wait = DispatchTimeInterval.microseconds(Int(min(microseconds, 31_536_000_000_000)))
    active.timer.schedule(deadline: .now() + wait, leeway: leeway)
  }

  func stop() { active.timer.cancel() }
}

/// Entries that leave when they expire, and not when somebody finds them: `promptExpiry`.
extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  /// Notes when an entry that was stored expires, and has the alarm set.
  @usableFromInline @inline(never) mutating func plan(_ id: ObjectID, now: UInt64) {
    guard let prompt else { return }
    let leaving = leaving(id, now)
    wheel?.set(id, expires: leaving, now: now)
    if let instant = wheel?.nextInstant, instant != .max { prompt.wake(at: instant) }
  }

  /// When an entry is to leave if nothing happens until then: that of one that is kept beyond its
  /// expiry is asked about again after as long as it has been kept, so it stays for up to twice
  /// as long as it has to.
  private func leaving(_ id: ObjectID, _ now: UInt64) -> UInt64 {
    let expires = expiry(id)
    guard let keepsExpired, expires <= now,
      keepsExpired(UnsafePointer(records.value(id)), expires)
    else { return expires }
    let (leaving, isNever) = now.addingReportingOverflow(
      max(now - expires, prompt?.granule ?? 0))
    return isNever ? .max : leaving
  }

  /// Takes the ids out of the wheel whose entries may have expired by now.
  mutating func takeDue(now: UInt64) -> [ObjectID] {
    let (tier, idle) = (tier, idle)
    return wheel?.advance(to: now) { id in
      guard tier.contains(id) else { return nil }
      return min(tier.expiry(id), idle?[id] ?? .max)
    } ?? []
  }

  /// Removes the entries of ids that were taken out if they have expired, and notes the expiry of
  /// others again. Returns how many were removed.
  mutating func removeDue(
    _ ids: some Sequence<ObjectID>, now: UInt64, _ gone: inout EvictedEntries<Key, Value>
  ) -> Int {
    var count = 0
    for id in ids where tier.contains(id) {
      let leaving = leaving(id, now)
      if leaving > now {
        wheel?.set(id, expires: leaving, now: now)
        continue
      }
      tier.remove(id)
      depart(id, .expire, &gone)
      count += 1
    }
    totals.swept += UInt64(count)
    return count
  }
}

extension MemoryCache {
  /// Removes what has expired by now, of the entries that are due, and sets the alarm for the next
  /// ones. Amortised O(1) an entry; a shard is locked for 256 of them at a time.
  func removeDue() {
    guard let prompt else { return }
    let now = clock.nowMicroseconds
    for index in 0..<blocks.count {
      var due = withShard(index) { shard, _ in shard.takeDue(now: now) }[...]
      while !due.isEmpty {
        let part = due.prefix(256)
        due = due.dropFirst(256)
        _ = withShard(index) { shard, gone in shard.removeDue(part, now: now, &gone) }
      }
      let next = withShard(index) { shard, _ in shard.wheel?.nextInstant ?? .max }
      if next != .max { prompt.wake(at: next) }
    }
  }
}
