import Foundation
import Synchronization

/// One run of one cache over one trace.
struct Measurement {
  /// Seconds by the clock on the wall.
  var wallSeconds: Double
  /// Share of gets answered.
  var hitRatio: Double
  /// For several threads the larger distance between two processors before and after, nanoseconds.
  var distanceNanoseconds: Double?

  /// Whether the processors were near each other, as far as that matters.
  var isNear: Bool { distanceNanoseconds ?? 0 <= CoreDistance.nearNanosecondsMax }

  /// Replays `keys`, each thread its own part of them: get, and put on a miss.
  static func take(
    _ cache: some BenchmarkCache, _ keys: [Int], threads: Int
  ) -> Measurement {
    let hits = Atomic<Int>(0)
    let wrong = Atomic<Int>(0)
    func distance() -> Double? { threads > 1 ? CoreDistance.nanoseconds() : nil }
    let before = distance()
    let start = nanosecondsNow(CLOCK_MONOTONIC)
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      let part = keys[keys.count * thread / threads..<keys.count * (thread + 1) / threads]
      let (found, mistaken) = replay(cache, part)
      hits.wrappingAdd(found, ordering: .relaxed)
      wrong.wrappingAdd(mistaken, ordering: .relaxed)
    }
    let end = nanosecondsNow(CLOCK_MONOTONIC)
    precondition(wrong.load(ordering: .relaxed) == 0, "a get returned another key's value")
    return Measurement(
      wallSeconds: Double(end - start) / 1e9,
      hitRatio: Double(hits.load(ordering: .relaxed)) / Double(keys.count),
      distanceNanoseconds: [before, distance()].compactMap(\.self).max())
  }

  private static func replay(
    _ cache: some BenchmarkCache, _ keys: ArraySlice<Int>
  ) -> (hits: Int, wrong: Int) {
    var (hits, wrong) = (0, 0)
    for key in keys {
      if let value = cache.get(key) {
        hits += 1
        if value != ~key { wrong += 1 }
      } else {
        cache.put(key, ~key)
      }
    }
    return (hits, wrong)
  }

  static func nanosecondsNow(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
