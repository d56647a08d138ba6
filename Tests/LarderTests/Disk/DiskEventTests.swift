import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import Larder

@Suite(.endsInTime) struct DiskEventTests {
  private typealias Event = CacheEvent<DiskEntryName>

  private final class Log: Sendable {
    private let events = Locked<[Event]>([])
    var all: [Event] { events.withLock { $0 } }
    func add(_ event: Event) { events.withLock { $0.append(event) } }
  }

  private let folder: ScratchFolder
  private let files = FaultyFiles()
  private let clock = ManualClock(seconds: 1_000)

  init() throws { folder = try ScratchFolder() }

  private func open(_ limits: DiskLimits) throws -> BlockingDiskCache {
    try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(limits: limits, inlineBytesMax: 100).countingValuesAlone,
      clock: clock, files: files)
  }

  private func told(_ kind: CacheEventKind, _ key: String, _ suite: String = "") -> Event {
    Event(kind, DiskEntryName(suite: suite, key: key))
  }

  @Test func everyEventIsReported() throws {
    let cache = try open(DiskLimits(bytes: 1_000, count: 2, freeBytes: 0))
    try cache.set(Data(count: 1), for: "unheard")
    let log = Log()
    let token = cache.onEvent { event in
      // No lock is held, so a handler may use the cache.
      _ = cache.count
      log.add(event)
    }
    let short = DiskStoreOptions(timeToLive: .seconds(1))
    _ = try cache.value(for: "a", suite: "s")
    try cache.set(Data(count: 500), for: "a", suite: "s", options: short)
    _ = try cache.value(for: "a", suite: "s")
    clock.advance(seconds: 1)
    _ = try cache.entry(for: "a", suite: "s", acceptingExpired: true)
    _ = try cache.value(for: "a", suite: "s")
    try cache.set(Data(count: 1), for: "b")
    try cache.set(Data(count: 1), for: "c")
    _ = try cache.value(for: "c")
    try cache.set(Data(count: 1_001), for: "big")
    try cache.remove("b")
    try cache.remove("b")
    try cache.trim(toCount: 0)
    try cache.set(Data(count: 1), for: "e", suite: "s", options: short)
    clock.advance(seconds: 1)
    try cache.removeExpired()
    try cache.set(Data(count: 700), for: "f\0\u{e9}")
    try cache.renew("f\0\u{e9}")
    try cache.removeAll()
    token.cancel()
    try cache.set(Data(), for: "unheard")
    let expected = [
      told(.miss, "a", "s"), told(.set, "a", "s"), told(.hit, "a", "s"), told(.miss, "a", "s"),
      told(.expire, "a", "s"), told(.miss, "a", "s"), told(.set, "b"),
      told(.evict(.capacity), "unheard"), told(.set, "c"), told(.hit, "c"), told(.reject, "big"),
      told(.remove, "b"), told(.evict(.trim), "c"), told(.set, "e", "s"), told(.expire, "e", "s"),
      told(.set, "f\0\u{e9}"), told(.remove, "f\0\u{e9}"),
    ]
    #expect(log.all == expected)
    #expect(!cache.events.isActive)
  }

  /// A loop, in which LRU has no hits.
  @Test func changesOfThePolicyAreReportedOnce() throws {
    let cache = try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(
        policy: "auto:policies=lru/mru", limits: DiskLimits(count: 100, freeBytes: 0),
        durability: .none), clock: clock)
    func loop(_ requests: Int) throws -> Log {
      let log = Log()
      let token = cache.onEvent { event in
        _ = cache.policyChoice
        log.add(event)
      }
      for index in 0..<requests {
        let key = "\(index % 120)"
        if try cache.value(for: key) == nil { try cache.set(Data(), for: key) }
      }
      token.cancel()
      return log
    }
    let log = try loop(12_000)
    let change = CacheEventKind.switchPolicy(from: 0, to: 1)
    let places = log.all.indices.filter {
      if case .switchPolicy = log.all[$0].kind { true } else { false }
    }
    let place = try #require(places.first)
    #expect(places.count == 1 && log.all[place].kind == change && place > 0)
    #expect(log.all[place - 1].key == log.all[place].key)
    #expect(try #require(cache.policyChoice).switches == 1)
    #expect(try !loop(120).all.contains { $0.kind == change })
  }

  @Test func failuresAndFullDisksAreReported() throws {
    let cache = try open(.checkingAlways(freeBytes: 1_000_000))
    files.set { $0.freeBytes = 2_000_000 }
    try cache.set(Data(count: 500), for: "a")
    try cache.set(Data(count: 50), for: "b")
    let log = Log()
    let token = cache.onEvent { log.add($0) }
    let file = try #require(try folder.valueFiles().first)
    try Data([1]).write(to: URL(fileURLWithPath: file))
    _ = try cache.value(for: "a")
    files.set { $0.freeBytes = 10 }
    try cache.set(Data(count: 50), for: "c")
    #expect(
      log.all == [
        told(.evict(.failure), "a"), told(.miss, "a"), told(.evict(.freeSpace), "b"),
        told(.reject, "c"),
      ])
    token.cancel()
  }

  @Test func aStreamEndsWithItsCacheAndKeepsTheNewest() async throws {
    var cache: BlockingDiskCache? = try open(DiskLimits(freeBytes: 0))
    let stream = try #require(cache?.eventStream(buffered: 3))
    for key in 0..<5 { try cache?.set(Data(), for: "\(key)") }
    cache = nil
    var keys: [String] = []
    for await event in stream { keys.append(event.key.key) }
    #expect(keys == ["2", "3", "4"])
  }
}
