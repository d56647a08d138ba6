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
      MemoryCacheConfiguration(limits: limits, shards: 1, pressureRule: rule), weigh: { _ in 1 })
  }

  @Test func ruleDeterminesTheEvictedShare() throws {
    let counted = try cache(MemoryCacheLimits(count: 100))
    for key in 0..<80 { counted.set(key, for: key) }
    counted.handle(.warning)
    #expect(counted.count == 40)
    // Chosen by the policy: the most recently used entries are resident.
    #expect((40..<80).allSatisfy(counted.contains))
    counted.handle(.critical)
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

  /// A hub with the sources that it has made.
  private final class Sources: Sendable {
    private let made = Locked<[Source]>([])

    var all: [Source] { made.withLock { $0 } }

    func hub(failsWith error: MemoryCacheError? = nil) -> PressureHub {
      PressureHub { () throws(MemoryCacheError) in
        if let error { throw error }
        let source = Source()
        self.made.withLock { $0.append(source) }
        return source
      }
    }
  }

  private func configuration(_ hub: PressureHub) -> MemoryCacheConfiguration {
    var configuration = MemoryCacheConfiguration(
      limits: MemoryCacheLimits(count: 100), shards: 1, observesMemoryPressure: true)
    configuration.pressureHub = hub
    return configuration
  }

  @Test func cachesShareOneSource() throws {
    let sources = Sources()
    let hub = sources.hub()
    var first: MemoryCache<Int, Int>? = try MemoryCache(configuration(hub))
    var second: MemoryCache<Int, Int>? = try MemoryCache(configuration(hub))
    var hybrid: HybridCache<Int, String>? = try HybridCache(
      configuration: HybridCacheConfiguration(memory: MemoryTier(configuration(hub)), disk: nil))
    #expect(sources.all.count == 1)
    for key in 0..<10 {
      first?.set(key, for: key)
      second?.set(key, for: key)
      try hybrid?.set("\(key)", for: key)
    }
    sources.all[0].tell(.warning)
    // A hybrid's rule keeps nothing.
    #expect(first?.count == 5 && second?.count == 5 && hybrid?.memory?.count == 0)
    first = nil
    sources.all[0].tell(.critical)
    #expect(second?.count == 0)
    second = nil
    #expect(sources.all[0].isHeard)
    hybrid = nil
    #expect(!sources.all[0].isHeard)
    let third = try MemoryCache<Int, Int>(configuration(hub))
    #expect(sources.all.count == 2 && sources.all[1].isHeard)
    withExtendedLifetime(third) {}
  }

  @Test func onlyCachesThatAreToldToObserve() throws {
    let sources = Sources()
    var quiet = configuration(sources.hub())
    quiet.observesMemoryPressure = false
    _ = try MemoryCache<Int, Int>(quiet)
    // Its counts would depend on the machine.
    var simulated = configuration(sources.hub())
    simulated.isSimulated = true
    _ = try MemoryCache<Int, Int>(simulated)
    _ = try HybridCache<Int, String>(
      configuration: HybridCacheConfiguration(memory: MemoryTier(simulated), disk: nil))
    #expect(sources.all.isEmpty)
    #if canImport(Darwin)
      #expect(MemoryPressureRule.isObservedByDefault)
    #else
      #expect(!MemoryPressureRule.isObservedByDefault)
    #endif
    #expect(
      MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 1)).observesMemoryPressure
        == MemoryPressureRule.isObservedByDefault)
  }

  @Test func refusalOfTheSystemIsAnError() throws {
    let error = MemoryCacheError.memoryPressure(path: "/proc/pressure/memory", code: 13)
    let hub = Sources().hub(failsWith: error)
    #expect(throws: error) {
      try MemoryCache<Int, Int>(configuration(hub))
    }
    #expect {
      try HybridCache<Int, String>(
        configuration: HybridCacheConfiguration(memory: MemoryTier(configuration(hub)), disk: nil))
    } throws: {
      if case HybridCacheError.memory(error) = $0 { true } else { false }
    }
  }
}
