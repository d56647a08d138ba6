import Foundation
import Larder
import LarderEngine
import LarderExperiments

/// A naive cache: a dictionary, a linked list of nodes and one lock.
final class TextbookLRU: CacheUnderTest, @unchecked Sendable {
  private let lock = NSLock()
  private let entries: LinkedLRU<Data>
  private let clock: TraceClock

  init(_ tier: TierSetup, _ setup: CacheSetup) {
    entries = LinkedLRU(tier)
    clock = setup.clock
  }

  func get(_ key: UInt64) -> CacheAnswer? {
    lock.lock()
    defer { lock.unlock() }
    return entries.get(key, now: clock.time, { _ in }).map { CacheAnswer($0) }
  }

  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) {
    lock.lock()
    defer { lock.unlock() }
    _ = entries.set(key, value, options, now: clock.time, { _ in })
  }

  func remove(_ key: UInt64) {
    lock.lock()
    defer { lock.unlock() }
    entries.remove(key)
  }

  func usage() -> CacheUsage {
    lock.lock()
    defer { lock.unlock() }
    var usage = CacheUsage()
    usage.memoryEntries = entries.count
    usage.memoryWeight = entries.used
    return usage
  }

  func tierCounts() -> CacheTierCounts? {
    lock.lock()
    defer { lock.unlock() }
    var counts = CacheTierCounts()
    counts.memory = entries.counts
    return counts
  }

  func resetCounts() {
    lock.lock()
    defer { lock.unlock() }
    entries.counts = TierCounts()
  }
}

extension CacheContender {
  /// The naive LRU cache.
  static let textbookLRU = CacheContender(
    name: "textbook-lru", summary: "A dictionary, a linked list of nodes and one lock: LRU",
    kinds: [.memory]
  ) { setup in
    guard case .memory(let tier) = setup.simulation.arrangement else {
      throw ExecutionError.kind(cache: "textbook-lru", kind: .disk)
    }
    return TextbookLRU(tier, setup)
  }
}

/// A cache on disk whose entries are selected by a list in memory, with one lock.
protocol ListedDiskCache: CacheUnderTest {
  associatedtype Note
  var lock: NSLock { get }
  var entries: LinkedLRU<Note> { get }
}

extension ListedDiskCache {
  func usage() -> CacheUsage {
    lock.withLock {
      var usage = CacheUsage()
      usage.diskEntries = entries.count
      usage.diskWeight = entries.used
      return usage
    }
  }

  func tierCounts() -> CacheTierCounts? {
    lock.withLock {
      var counts = CacheTierCounts()
      counts.disk = entries.counts
      return counts
    }
  }

  func resetCounts() { lock.withLock { entries.counts = TierCounts() } }
}

/// The textbook LRU: a dictionary and a linked list of nodes. It supports weights, TTLs and a limit
/// on objects, so that it decides like the simulator's LRU. Not thread-safe.
final class LinkedLRU<Value> {
  private final class Node {
    let key: UInt64
    var value: Value
    var weight: UInt64
    var expires: UInt64
    // The dictionary owns the nodes.
    unowned(unsafe) var previous: Node?
    unowned(unsafe) var next: Node?

    init(_ key: UInt64, _ value: Value, _ weight: UInt64, _ expires: UInt64) {
      self.key = key
      self.value = value
      self.weight = weight
      self.expires = expires
    }
  }

  private let capacity: UInt64
  private let objectsMax: Int
  private let timeToLive: UInt64
  private var nodes: [UInt64: Node] = [:]
  private unowned(unsafe) var first: Node?
  private unowned(unsafe) var last: Node?
  private(set) var used: UInt64 = 0
  /// The counts in the terms of a simulation.
  var counts = TierCounts()

  init(_ tier: TierSetup) {
    capacity = tier.capacity
    objectsMax = tier.objectsMax.map { Int(clamping: $0) } ?? .max
    timeToLive = UInt64(tier.timeToLiveSeconds ?? 0) * 1_000_000
  }

  var count: Int { nodes.count }

  /// Returns the value of a key at a time in microseconds; calls `gone` with a key found expired.
  /// O(1).
  func get(_ key: UInt64, now: UInt64, _ gone: (UInt64) throws -> Void) rethrows
    -> Value?
  {
    guard let node = nodes[key] else { return nil }
    if node.expires <= now {
      counts.expirations += 1
      remove(key)
      try gone(key)
      return nil
    }
    if first !== node {
      unlink(node)
      pushFront(node)
    }
    return node.value
  }

  /// Stores a value and returns whether it did; calls `gone` with the evicted keys, including `key`
  /// if its old entry was removed. Amortised O(1).
  func set(
    _ key: UInt64, _ value: Value, _ options: CacheWriteOptions, now: UInt64,
    _ gone: (UInt64) throws -> Void
  ) rethrows -> Bool {
    let weight = UInt64(options.weight)
    var isThere = nodes[key] != nil
    if let node = nodes[key], node.expires <= now || weight > capacity {
      remove(key)
      isThere = false
      if weight > capacity { try gone(key) }
    }
    guard weight <= capacity else {
      counts.rejections += 1
      return false
    }
    counts.bytesWritten += weight
    if isThere, let node = nodes[key] {
      unlink(node)
      pushFront(node)
      used = used - node.weight + weight
      node.value = value
      node.weight = weight
      node.expires = expiry(options, now)
      try makeRoom(for: 0, gone)
    } else {
      while count >= objectsMax { try evict(gone) }
      try makeRoom(for: weight, gone)
      let node = Node(key, value, weight, expiry(options, now))
      nodes[key] = node
      pushFront(node)
      used += weight
      counts.admissions += 1
    }
    return true
  }

  /// Removes a key; false if it was missing. O(1).
  @discardableResult func remove(_ key: UInt64) -> Bool {
    guard let node = nodes[key] else { return false }
    unlink(node)
    used -= node.weight
    nodes[key] = nil
    return true
  }

  private func expiry(_ options: CacheWriteOptions, _ now: UInt64) -> UInt64 {
    var life = options.timeToLiveMicroseconds
    if timeToLive != 0, life == 0 || timeToLive < life { life = timeToLive }
    let (expiry, overflows) = now.addingReportingOverflow(life)
    return life == 0 || overflows ? .max : expiry
  }

  private func makeRoom(for weight: UInt64, _ gone: (UInt64) throws -> Void) rethrows {
    while used + weight > capacity { try evict(gone) }
  }

  private func evict(_ gone: (UInt64) throws -> Void) rethrows {
    guard let victim = last else { return }
    let key = victim.key
    remove(key)
    counts.evictions += 1
    try gone(key)
  }

  private func pushFront(_ node: Node) {
    node.previous = nil
    node.next = first
    first?.previous = node
    first = node
    if last == nil { last = node }
  }

  private func unlink(_ node: Node) {
    let (previous, next) = (node.previous, node.next)
    if let previous { previous.next = next } else { first = next }
    if let next { next.previous = previous } else { last = previous }
  }
}
