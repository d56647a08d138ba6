import Foundation
import Larder
import Testing

@testable import LarderMetrics

@Suite struct CacheReadingTests {
  @Test func everyStatisticIsReported() throws {
    #expect(try unreported(TierStatistics()) { CacheReading.all($0, tier: "disk") } == [])
    #expect(try unreported(LoadStatistics()) { CacheReading.all($0) } == [])
  }

  @Test func noTwoReadingsAreOneMetric() {
    let readings = CacheReading.all(hybrid)
    #expect(Set(readings.map { "\($0.label) \($0.dimensions)" }).count == readings.count)
  }

  // Otherwise Prometheus terminates the program.
  @Test func dimensionsOfALabelAreTheSameForEveryCache() {
    let dimensions = Dictionary(grouping: all, by: \.label).mapValues { readings in
      Set(readings.map { $0.dimensions.map(\.0) })
    }
    #expect(dimensions.filter { $0.value.count > 1 }.isEmpty)
  }

  @Test func everyMetricIsDocumented() throws {
    let root = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { path, _ in
      path.deletingLastPathComponent()
    }
    let page = try String(
      contentsOf: root.appendingPathComponent("docs/adapters.md"), encoding: .utf8)
    for reading in all {
      let line = page.split(separator: "\n").first {
        $0.hasPrefix("| `") && $0.contains("`\(reading.label)`")
      }
      let row = try #require(line, "\(reading.label) has no line")
      for (name, value) in reading.dimensions where name != "tier" {
        #expect(row.contains("`\(name)`"), "\(row)")
        #expect(name == "policy" || row.contains("`\(value)`"), "\(row)")
      }
    }
  }

  /// A cache in which MRU leads: the requests were a loop.
  private var choosing: MemoryCache<Int, Int> {
    get throws {
      let cache = try MemoryCache<Int, Int>(
        MemoryCacheConfiguration(
          limits: MemoryCacheLimits(count: 100), policy: "auto:policies=lru/mru", shards: 1))
      for index in 0..<12_000 where cache.value(for: index % 120) == nil {
        cache.set(index, for: index % 120)
      }
      return cache
    }
  }

  @Test func everyPolicyOfAChoiceHasAGauge() throws {
    let readings = CacheReading.all(try choosing.statistics.policyChoice, tier: "memory")
    let values = readings.map { reading in
      let labels = reading.dimensions.map(\.1).joined(separator: " ")
      switch reading.value {
      case .total(let total): return "\(reading.label) \(labels) \(total)"
      case .level(let level): return "\(reading.label) \(labels) \(level > 0.5 ? 1 : 0)"
      }
    }
    #expect(
      values == [
        "larder_policy_switches memory 1", "larder_policy_leading memory lru 0",
        "larder_policy_leading memory mru 1", "larder_policy_hit_ratio memory lru 0",
        "larder_policy_hit_ratio memory mru 1",
      ])
    let plain = MemoryCache<Int, Int>(count: 2).statistics
    #expect(CacheReading.all(plain.policyChoice, tier: "memory").isEmpty)
  }

  private var hybrid: HybridStatistics {
    var hybrid = HybridStatistics()
    hybrid.memory = TierStatistics()
    hybrid.disk = TierStatistics()
    return hybrid
  }

  private var all: [CacheReading] {
    CacheReading.all(hybrid)
      + CacheReading.all(try? choosing.statistics.policyChoice, tier: "memory")
  }

  /// Names of the statistics that affect no reading.
  private func unreported<Statistics: Codable>(
    _ none: Statistics, _ read: (Statistics) -> [CacheReading]
  ) throws -> [String] {
    let numbers = try JSONDecoder().decode(
      [String: UInt64].self, from: JSONEncoder().encode(none))
    return try numbers.keys.sorted().filter { name in
      var one = numbers
      one[name] = 1
      let changed = try JSONDecoder().decode(Statistics.self, from: JSONEncoder().encode(one))
      return read(changed).map { "\($0)" } == read(none).map { "\($0)" }
    }
  }
}
