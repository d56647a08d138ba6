import LarderEngine
import Testing

@testable import Larder

@Suite struct MemoryPressureTests {
  /// A source controlled by a test.
  private final class Source: MemoryPressureSource {
    private let handler = Locked<(@Sendable (MemoryPressureLevel) -> Void)?>(nil)

    func start(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) {
      self.handler.withLock { $0 = handler }
    }

    func stop() { handler.withLock { $0 = nil } }

    var isHeard: Bool { handler.withLock { $0 != nil } }

    func tell(_ level: MemoryPressureLevel) { handler.withLock { $0 }?(level) }
  }

  private func cache(
    _ limits: MemoryCacheLimits, _ rule: MemoryPressureRule = MemoryPressureRule()
  ) throws -> MemoryCache<Int, Int> {
    try MemoryCache(
      MemoryCacheConfiguration(limits: limits, shards: 1, pressureRule: rule))
  }

  @Test func ruleDeterminesTheEvictedShare() throws {
    let source = Source()
    let counted = try cache(MemoryCacheLimits(count: 100))
    counted.observe(source)
    for key in 0..<80 { counted.set(key, for: key) }
    source.tell(.warning)
    #expect(counted.count == 40)
    // Chosen by the policy: the most recently used entries are resident.
    #expect((40..<80).allSatisfy(counted.contains))
    source.tell(.critical)
    #expect(counted.count == 0)
    #expect(counted.statistics.pressure == 80)
    #expect(counted.statistics.evictions == 0)

    let weighed = try cache(
      MemoryCacheLimits(weight: 1_000), MemoryPressureRule(keptOnWarning: 0.25))
    for key in 0..<10 { weighed.set(key, for: key, weight: 10 * (key + 1)) }
    weighed.handle(.warning)
    #expect(weighed.statistics.weight == 100)
    #expect(weighed.contains(9))
  }

  @Test func aCacheListensToOneSourceWhileItLives() throws {
    let (first, second) = (Source(), Source())
    var cache: MemoryCache<Int, Int>? = try cache(MemoryCacheLimits(count: 10))
    cache?.observe(first)
    cache?.observe(second)
    #expect(!first.isHeard && second.isHeard)
    cache?.stopObserving()
    #expect(!second.isHeard)
    cache?.observe(first)
    cache = nil
    #expect(!first.isHeard)
  }

  /// A source that records the order of its starts and stops.
  private final class OrderedSource: MemoryPressureSource {
    let calls = Locked<[String]>([])

    func start(_ handler: @escaping @Sendable (MemoryPressureLevel) -> Void) {
      calls.withLock { $0.append("start") }
    }

    func stop() { calls.withLock { $0.append("stop") } }
  }

  @Test(.endsInTime) func sourcesAreStoppedAfterTheirStart() async throws {
    let cache = MemoryCache<Int, Int>(count: 10)
    let sources = (0..<400).map { _ in OrderedSource() }
    await withTaskGroup(of: Void.self) { group in
      for part in 0..<4 {
        group.addTask {
          for number in 0..<100 { cache.observe(sources[part * 100 + number]) }
        }
      }
    }
    cache.stopObserving()
    for source in sources { #expect(source.calls.withLock { $0 } == ["start", "stop"]) }
  }
}
