import LarderEngine
import Testing

@testable import LarderExperiments

@Suite struct AccessTimeCalculatorTests {
  private static func outcomes(
    memory: [UInt32] = [], disk: [UInt32] = [], misses: [UInt32] = []
  ) -> OutcomeSizes {
    var sizes = OutcomeSizes()
    for bytes in memory { sizes.memoryHits.add(bytes: bytes) }
    for bytes in disk { sizes.diskHits.add(bytes: bytes) }
    for bytes in misses { sizes.misses.add(bytes: bytes) }
    return sizes
  }

  private static func time(
    model: LatencyModel, kind: ConfigurationKind, unit: CapacityUnit, _ sizes: OutcomeSizes
  ) -> ModelledAccessTime? {
    AccessTimeCalculator(model: model, kind: kind, unit: unit).accessTime(of: sizes)
  }

  private static let constants = LatencyModel(
    memory: AccessLatency(base: .constant(1_000), nanosecondsPerByte: 0.5),
    disk: AccessLatency(base: .constant(100_000), nanosecondsPerByte: 2),
    origin: AccessLatency(base: .constant(80_000_000), nanosecondsPerByte: 1_000))

  /// Memory hit of 2000 bytes: 1 us + 1 us = 2 us. Disk hit of 1000: 1 + 100 + 2 = 103 us. Miss of
  /// 1000: 1 + 100 + 80,000 + 1000 = 81,101 us. Mean: (12 + 309 + 81,101) / 10.
  @Test func hybridPaysForEveryLookup() throws {
    let sizes = Self.outcomes(
      memory: Array(repeating: 2000, count: 6), disk: Array(repeating: 1000, count: 3),
      misses: [1000])
    let time = try #require(
      Self.time(
        model: Self.constants, kind: .hybrid, unit: .bytes, sizes))
    #expect(time.meanMicroseconds == 8142.2)
    #expect(time.p50Microseconds == 2)
    #expect(time.p90Microseconds == 103)
    #expect(time.p99Microseconds == 81_101)
  }

  /// Hits of 1 us each; misses of 1 + 20,000, 1 + 40,000.5 and 1 + 0 us. Sizes are ignored.
  @Test func originLatencyComesFromTheTrace() throws {
    var sizes = Self.outcomes(memory: [5, 5], misses: [1, 2, 3])
    for milliseconds: Float in [20, 40.0005, -3] { sizes.addOriginTime(milliseconds: milliseconds) }
    let model = LatencyModel(
      memory: AccessLatency(base: .constant(1000)), origin: AccessLatency(),
      isOriginFromTrace: true)
    let time = try #require(
      Self.time(model: model, kind: .memory, unit: .objects, sizes))
    // Rounded to microseconds: 40,000 or 40,001, depending on the Float.
    #expect(abs(time.meanMicroseconds - (5 + 60_000.5) / 5) < 0.2)
    #expect(time.p50Microseconds == 1)
    #expect(abs(time.p99Microseconds - 40_001.5) < 1)
  }

  @Test func timesOfTheOriginAreBounded() {
    var sizes = OutcomeSizes()
    for time: Float in [.nan, .infinity, -.infinity, .greatestFiniteMagnitude, 0] {
      sizes.addOriginTime(milliseconds: time)
    }
    #expect(sizes.originTimes.count == 5)
    #expect(sizes.originTimes.bytes == 2 * UInt64(UInt32.max))
  }

  /// One tier only: a miss does not pay for a look-up in a missing tier.
  @Test func singleTiersPayForTheirOwnTierOnly() throws {
    let sizes = Self.outcomes(misses: [1000])
    let memory = Self.time(
      model: Self.constants, kind: .memory, unit: .bytes, sizes)
    #expect(memory?.p50Microseconds == 81_001)
    let disk = Self.time(
      model: Self.constants, kind: .disk, unit: .bytes, sizes)
    #expect(disk?.p50Microseconds == 81_100)
    let hit = Self.time(
      model: Self.constants, kind: .disk, unit: .bytes, Self.outcomes(disk: [500]))
    #expect(hit?.meanMicroseconds == 101)
  }

  @Test func objectsHaveNoPartPerByte() throws {
    let sizes = Self.outcomes(memory: [1], misses: [1])
    let time = Self.time(
      model: Self.constants, kind: .memory, unit: .objects, sizes)
    #expect(time?.p50Microseconds == 1)
    #expect(time?.p99Microseconds == 80_001)
  }

  @Test func noRequestsHaveNoTime() {
    #expect(
      Self.time(
        model: Self.constants, kind: .hybrid, unit: .bytes, OutcomeSizes()) == nil)
  }

  @Test func shortListsAreExact() throws {
    let samples = try #require(LatencySamples([1000, 2000, 3000, 4000]))
    let model = LatencyModel(
      memory: AccessLatency(base: .constant(500)), origin: AccessLatency(base: .empirical(samples)))
    let time = try #require(
      Self.time(
        model: model, kind: .memory, unit: .bytes,
        Self.outcomes(misses: Array(repeating: 10, count: 8))))
    #expect(time.meanMicroseconds == 3)
    #expect(time.p50Microseconds == 2.5)
    #expect(time.p90Microseconds == 4.5)
  }

  @Test func resultIsEqualOnEveryMachine() throws {
    let model = LatencyModel(
      memory: AccessLatency(base: .normal(mean: 800, deviation: 200)),
      disk: AccessLatency(base: .logNormal(median: 1e5, sigma: 0.5), nanosecondsPerByte: 0.7),
      origin: AccessLatency(base: .logNormal(median: 8e7, sigma: 0.8), nanosecondsPerByte: 800))
    let sizes = Self.outcomes(
      memory: (1...500).map { $0 * 97 }, disk: (1...300).map { $0 * 31 },
      misses: (1...200).map { $0 * 53 })
    let time = Self.time(
      model: model, kind: .hybrid, unit: .bytes, sizes)
    #expect(time == Self.pinned)
  }

  /// Every outcome's time is drawn at random, 200,000 times, from the same model and the exact
  /// sizes; the percentiles must agree within the stated 1 % and the noise of the draw.
  @Test(arguments: [ConfigurationKind.memory, .disk, .hybrid])
  func percentilesAgreeWithRandomDraws(kind: ConfigurationKind) throws {
    let model = LatencyModel(
      memory: AccessLatency(base: .logNormal(median: 900, sigma: 0.5), nanosecondsPerByte: 0.1),
      disk: AccessLatency(base: .logNormal(median: 120_000, sigma: 0.6), nanosecondsPerByte: 1),
      origin: AccessLatency(base: .logNormal(median: 400_000, sigma: 0.9), nanosecondsPerByte: 9))
    var random = SeededGenerator(seed: 7)
    var sizes = OutcomeSizes()
    var drawn: [Double] = []
    for _ in 0..<200_000 {
      let bytes = UInt32(50_000 * random.nextUnit()) + 1
      let place = random.nextUnit()
      var places: [AccessLatency]
      switch (kind, place) {
      case (.memory, ..<0.7):
        sizes.memoryHits.add(bytes: bytes)
        places = [model.memory]
      case (.disk, ..<0.7):
        sizes.diskHits.add(bytes: bytes)
        places = [model.disk]
      case (.hybrid, ..<0.4):
        sizes.memoryHits.add(bytes: bytes)
        places = [model.memory]
      case (.hybrid, ..<0.8):
        sizes.diskHits.add(bytes: bytes)
        places = [model.memory, model.disk]
      default:
        sizes.misses.add(bytes: bytes)
        places = model.places(of: kind)
      }
      let perByte = places.last.map { $0.nanosecondsPerByte * Double(bytes) } ?? 0
      drawn.append(places.reduce(perByte) { $0 + $1.base.quantile(random.nextUnit()) })
    }
    drawn.sort()
    let time = try #require(
      Self.time(model: model, kind: kind, unit: .bytes, sizes))
    func near(_ value: Double, _ exact: Double, within tolerance: Double) -> Bool {
      abs(value * 1000 / exact - 1) < tolerance
    }
    let mean = drawn.reduce(0, +) / Double(drawn.count)
    #expect(near(time.meanMicroseconds, mean, within: 0.01), "\(time) \(mean)")
    for (value, share) in [
      (time.p50Microseconds, 0.5), (time.p90Microseconds, 0.9), (time.p99Microseconds, 0.99),
    ] {
      let exact = drawn[Int(share * Double(drawn.count))]
      #expect(near(value, exact, within: 0.02), "p\(share): \(value * 1000) and \(exact)")
    }
  }

  private static let pinned = ModelledAccessTime(
    meanMicroseconds: 22944.721, p50Microseconds: 1.534, p90Microseconds: 84410.948,
    p99Microseconds: 302654.142)
}
