import LarderEngine
import LarderTraces
import Testing

@testable import LarderExperiments

/// Kangaroo against closed forms, with uniform keys that never recur.
struct KangarooModelTests {
  /// Objects of the log per set in the example of the SOSP 2021 paper, and objects per set.
  private static let perSet = 5e8 / 463_867_188
  private static let setObjects = 40.0

  private static func exponential(_ x: Double) -> Double { DeterministicMath.exp(-x) }

  /// The paper's closed form, with the numbers of objects that uniform keys have in the sets of a
  /// smaller cache: of X objects of a set in the log, writes are amplified by
  /// 1 + w P(X >= n) / E(X | X >= n), here 5.825, and of the sets that have objects in the log
  /// P(X >= n) / P(X >= 1), here 0.444, are written.
  @Test func uniformKeysMatchTheClosedForm() {
    let sets = BucketSets(count: 400_000, objects: 0)
    var counts = [Int](repeating: 0, count: 400_000)
    for id in 1...UInt32(400_000 * Self.perSet) { counts[sets.bucket(of: id)] += 1 }
    let enough = counts.filter { $0 >= 2 }
    let share = Double(enough.count) / 400_000
    let mean = Double(enough.reduce(0, +)) / Double(enough.count)
    let amplification = 1 + Self.setObjects * share / mean
    #expect(abs(amplification / 5.825 - 1) < 0.01, "\(amplification)")
    let admitted = Double(enough.count) / Double(counts.filter { $0 >= 1 }.count)
    #expect(abs(admitted / 0.444 - 1) < 0.01, "\(admitted)")
  }

  /// Model of the simulated log. When the oldest object of a set reaches the end of the log, the
  /// others of its set came after it, Poisson with mean m = objects of the log / sets. With n = 2
  /// the set is written with probability 1 - e^-m, and each such event removes 1 + m objects from
  /// the log on average. This is more than the closed form gives, which uses the number of objects
  /// in the set of a random object instead of that in a random set.
  @Test(arguments: [1.0779, 0.3, 3])
  func simulationMatchesTheExactForm(perSet: Double) throws {
    let (sets, size, region) = (2000, 64, 4096)
    let logObjects = Int(Double(sets) * perSet) / 64 * 64
    let logBytes = logObjects * size
    let capacity = UInt64(logBytes + sets * 4096)
    // The share in billionths that gives exactly these regions and sets.
    let share = Share(
      billionths: UInt64((Double(logBytes) + 64) / Double(capacity) * 1e9) + 1)
    let layout = FlashLayout.Kangaroo(
      log: share, region: UInt64(region), threshold: 2, reinsertHits: 0)
    let flashLayout = FlashLayout.kangaroo(layout)
    let buckets = Double(flashLayout.bucketCount(of: capacity))
    let inLog = Double(flashLayout.regionCount(of: capacity)) * 64
    let requests = (0..<600_000).map { (key: UInt64($0), size: UInt32(size)) }
    let trace = try FlashStand.trace(requests)
    let record = try #require(
      try FlashStand.record(
        FlashStand.planned(flashLayout, capacity: capacity), trace, warmUp: .requests(50_000)))
    let flash = try #require(record.flash)
    // Half a region of the log is being reclaimed on average.
    let mean = (inLog - 32) / buckets
    let expected = (1 - Self.exponential(mean)) / (1 + mean)
    let found = Double(flash.bucketWrites) / Double(flash.inserted)
    #expect(abs(found / expected - 1) < 0.01, "\(found), not \(expected)")
    let moved = 1 - Self.exponential(mean) / (1 + mean)
    #expect(abs(Double(flash.moved) / Double(flash.inserted) / moved - 1) < 0.01)
    #expect(flash.writtenBytes == flash.insertedBytes + 4096 * flash.bucketWrites)
  }
}
