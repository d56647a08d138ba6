import Dispatch
import LarderEngine
import Synchronization

@usableFromInline final class PromptExpiry: Sendable {
  /// Maximum delay in microseconds between expiry and removal.
  let granule: UInt64
  private let clock: any CacheClock
  private let alarm: any ExpiryAlarm
  /// Time for which the alarm is set; `UInt64.max` for none. Changed under `lock`.
  private let instant = Atomic<UInt64>(.max)
  // Not `Locked`: the thread sanitizer mistakes a value without bytes for the neighbouring lock.
  private let lock = SleepingLock()

  init(granule: UInt64, clock: any CacheClock, alarm: (any ExpiryAlarm)?) {
    self.granule = granule
    self.clock = clock
    self.alarm = alarm ?? DispatchAlarm(leeway: granule / 8)
  }

  func start(_ ring: @escaping @Sendable () -> Void) {
    alarm.start { [weak self] in
      guard let self else { return }
      // Before the cache searches: entries stored from now on set the alarm themselves.
      self.lock.lock()
      self.instant.store(.max, ordering: .relaxed)
      self.lock.unlock()
      ring()
    }
  }

  func wake(at wanted: UInt64) {
    if wanted >= instant.load(ordering: .relaxed) { return }
    lock.lock()
    defer { lock.unlock() }
    if wanted >= instant.load(ordering: .relaxed) { return }
    instant.store(wanted, ordering: .relaxed)
    // Not at once: the cache's clock may be some milliseconds behind the alarm's.
    let now = clock.time
    alarm.set(after: max(1_000, wanted - min(wanted, now)))
  }

  func stop() { alarm.stop() }
}

/// The ids of a shard in order of their entries' expiry, to the precision of a tick: a hierarchical
/// timing wheel (Varghese and Lauck, SOSP 1987, scheme 7). Level 0 has a slot for each of the next
/// 64 ticks, level 1 one for each of the next 64 turns of level 0, and so on. A mask per level
/// marks the occupied slots.
///
/// The expiry of an entry is read only when its slot is due: a postponed one is moved then, and
/// removed entries need not be reported.
final class ExpiryWheel {
  private static let levels = 6
  /// A level has 2^6 slots; their lists begin at nodes 1 to `slots`.
  private static let digit: UInt64 = 6
  private static let slots = levels << 6
  private static let reach: UInt64 = 1 << (digit * UInt64(levels))
  private static let unlinked: UInt32 = 0

  let shift: UInt64
  /// The last completed tick, counted from the origin of the clock.
  private var tick: UInt64
  private var masks = [UInt64](repeating: 0, count: levels)
  // Rings with one node per slot, then one per id.
  private var next: Column<UInt32>
  private var previous: Column<UInt32>

  init(room: Int, granule: UInt64, now: UInt64) {
    shift = UInt64(63 - max(1, granule).leadingZeroBitCount)
    tick = now >> shift
    next = Column(objects: Self.slots + room)
    previous = Column(objects: Self.slots + room)
    for node in 1...UInt32(Self.slots) {
      next[node] = node
      previous[node] = node
    }
  }

  func reserve(room: Int) {
    next.reserve(objects: Self.slots + room)
    previous.reserve(objects: Self.slots + room)
  }

  var bytes: Int { next.bytes + previous.bytes }

  func set(_ id: ObjectID, expires: UInt64, now: UInt64) {
    let node = Self.node(id)
    if next[node] != Self.unlinked { unlink(node) }
    guard expires != .max else { return }
    if masks.allSatisfy({ $0 == 0 }) { tick = max(tick, now >> shift) }
    link(node, expires: expires)
  }

  var nextInstant: UInt64 {
    let next = nextTick
    return next > UInt64.max >> shift ? .max : next << shift
  }

  /// Advances towards `now`, for up to `most` ids, and removes those that are due; `due` is nil if
  /// all were found before. Amortised O(1) per id.
  ///
  /// - Parameter expires: Returns the expiry of an id's entry; nil if it has none.
  func advance(
    to now: UInt64, most: Int, expires: (ObjectID) -> UInt64?
  ) -> [ObjectID]? {
    var due: [ObjectID] = []
    var taken = 0
    let target = now >> shift
    while true {
      // An earlier call may have left ids in the slots of this tick.
      for level in (0..<Self.levels).reversed() {
        let shift = Self.digit * UInt64(level)
        // A slot of this level begins only when all levels below are at their beginning.
        guard tick & (1 << shift - 1) == 0 else { continue }
        while let id = takeFirst(level, Int(tick >> shift & 63)) {
          if let expires = expires(id) {
            if expires <= now {
              due.append(id)
            } else if expires != .max {
              // Not by `set`, which moves an empty wheel to `now`, and its slots with it.
              link(Self.node(id), expires: expires)
            }
          }
          taken += 1
          if taken == most { return due }
        }
      }
      let next = nextTick
      guard next <= target else { break }
      tick = next
    }
    tick = max(tick, target)
    return taken == 0 ? nil : due
  }

  // MARK: Slots

  private static func node(_ id: ObjectID) -> UInt32 { UInt32(slots) + id }

  private static func head(_ level: Int, _ slot: Int) -> UInt32 { UInt32(level << 6 | slot) + 1 }

  private var nextTick: UInt64 {
    var first = UInt64.max
    for level in 0..<Self.levels where masks[level] != 0 {
      let shift = Self.digit * UInt64(level)
      let turn = tick >> shift
      // After rotation the first bit of the mask is the slot after the current one.
      let behind = (turn + 1) & 63
      let turned = masks[level] >> behind | (behind == 0 ? 0 : masks[level] << (64 - behind))
      first = min(first, (turn + 1 + UInt64(turned.trailingZeroBitCount)) << shift)
    }
    return first
  }

  private func link(_ node: UInt32, expires: UInt64) {
    // First tick by which it has expired, limited to the range of the wheel.
    let over = (max(1, expires) - 1) >> shift + 1
    let wanted = min(max(over, tick + 1), tick + Self.reach - 1)
    let level = (63 - (wanted - tick).leadingZeroBitCount) / Int(Self.digit)
    let slot = Int(wanted >> (Self.digit * UInt64(level)) & 63)
    masks[level] |= 1 << UInt64(slot)
    let head = Self.head(level, slot)
    let last = previous[head]
    next[last] = node
    previous[node] = last
    next[node] = head
    previous[head] = node
  }

  private func unlink(_ node: UInt32) {
    let (before, behind) = (previous[node], next[node])
    next[before] = behind
    previous[behind] = before
    next[node] = Self.unlinked
    if before == behind { masks[Int(before - 1) >> 6] &= ~(1 << UInt64((before - 1) & 63)) }
  }

  private func takeFirst(_ level: Int, _ slot: Int) -> ObjectID? {
    guard masks[level] >> UInt64(slot) & 1 == 1 else { return nil }
    let node = next[Self.head(level, slot)]
    unlink(node)
    return node - UInt32(Self.slots)
  }
}

package protocol ExpiryAlarm: Sendable {
  /// Calls `ring` from now on whenever the alarm fires, on any thread, never concurrently. Called
  /// once.
  func start(_ ring: @escaping @Sendable () -> Void)

  /// Sets the alarm to fire once, after the given number of microseconds, instead of any previous
  /// time. Called with a lock held: must not call `ring` synchronously.
  func set(after microseconds: UInt64)

  func stop()
}

final class DispatchAlarm: ExpiryAlarm {
  private struct Active: @unchecked Sendable {
    let timer: any DispatchSourceTimer
  }

  private let active: Active
  private let leeway: DispatchTimeInterval

  init(leeway: UInt64) {
    self.leeway = .microseconds(Int(clamping: leeway))
    active = Active(
      timer: DispatchSource.makeTimerSource(
        queue: DispatchQueue(label: "larder.expiry", qos: .utility)))
    active.timer.schedule(deadline: .distantFuture)
    // A timer that was never activated must not be destroyed.
    active.timer.activate()
  }

  deinit { stop() }

  func start(_ ring: @escaping @Sendable () -> Void) { active.timer.setEventHandler(handler: ring) }

  func set(after microseconds: UInt64) {
    // At most a year: the alarm then fires early and is set again.
    let wait = DispatchTimeInterval.microseconds(Int(min(microseconds, 31_536_000_000_000)))
    active.timer.schedule(deadline: .now() + wait, leeway: leeway)
  }

  func stop() { active.timer.cancel() }
}

extension MemoryShard where Key: Hashable & Sendable, Value: Sendable {
  @usableFromInline @inline(never) mutating func plan(_ id: ObjectID, now: UInt64) {
    guard let prompt else { return }
    let leaving = leaving(id, now)
    wheel?.set(id, expires: leaving.microseconds, now: now)
    if let instant = wheel?.nextInstant, instant != .max { prompt.wake(at: instant) }
  }

  /// Time at which an entry is to be removed if nothing changes. An entry kept beyond its expiry is
  /// checked again after as long as it has been kept, so it stays up to twice as long as necessary.
  private func leaving(_ id: ObjectID, _ now: UInt64) -> Expiry {
    let expiry = expiry(id)
    guard let keepsExpired, expiry.isOver(at: now),
      keepsExpired(UnsafePointer(records.value(id)), expiry)
    else { return expiry }
    return Expiry(after: max(expiry.overdue(at: now), prompt?.granule ?? 0), from: now)
  }

  /// Removes entries that have expired by now and schedules those that are kept again, up to `most`
  /// together. Returns false if there were none.
  mutating func removeDue(
    now: UInt64, most: Int, _ gone: inout EvictedEntries<Key, Value>
  ) -> Bool {
    let (tier, idle) = (tier, idle)
    let due = wheel?.advance(to: now, most: most) { id in
      guard tier.contains(id) else { return nil }
      return min(tier.expiry(id), idle?[id] ?? .max)
    }
    guard let due else { return false }
    var count = 0
    for id in due {
      let leaving = leaving(id, now)
      if !leaving.isOver(at: now) {
        wheel?.set(id, expires: leaving.microseconds, now: now)
        continue
      }
      tier.remove(id)
      depart(id, .expire, &gone)
      count += 1
    }
    totals.swept += UInt64(count)
    return true
  }
}

extension MemoryCache {
  /// Removes all due entries that have expired, and sets the alarm for the next ones. Amortised
  /// O(1) per entry; a shard is locked for 256 of them at a time.
  func removeDue() {
    guard let prompt else { return }
    let now = clock.time
    for index in 0..<blocks.count {
      while withShard(
        index, inSteps: true, { shard, gone in shard.removeDue(now: now, most: 256, &gone) })
      {}
      let next = withShard(index) { shard, _ in shard.wheel?.nextInstant ?? .max }
      if next != .max { prompt.wake(at: next) }
    }
  }
}
