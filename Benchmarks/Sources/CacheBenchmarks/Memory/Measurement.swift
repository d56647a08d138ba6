import Foundation
import Synchronization

/// One run of one cache over one trace.
struct Measurement {
  /// How many requests that were.
  var requests: Int
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
    _ cache: some BenchmarkCache<Int, Int>, _ keys: [Int], threads: Int
  ) -> Measurement {
    let wrong = Atomic<Int>(0)
    let measurement = take(requests: keys.count, threads: threads) { range in
      let (hits, mistaken) = replay(cache, keys[range])
      wrong.wrappingAdd(mistaken, ordering: .relaxed)
      return hits
    }
    precondition(wrong.load(ordering: .relaxed) == 0, "a get returned another key's value")
    return measurement
  }

  /// The same with other keys and values, which are those of `numbers`.
  static func take<Key, Value>(
    _ cache: some BenchmarkCache<Key, Value>, _ keys: [Key], _ numbers: [Int], threads: Int,
    _ value: @Sendable (Int) -> Value
  ) -> Measurement {
    take(requests: keys.count, threads: threads) { range in
      var hits = 0
      for place in range {
        if cache.get(keys[place]) != nil {
          hits += 1
        } else {
          cache.put(keys[place], value(numbers[place]))
        }
      }
      return hits
    }
  }

  /// Calls `body` on each thread with its own part of the requests; it returns its hits.
  static func take(
    requests: Int, threads: Int, _ body: @Sendable (Range<Int>) -> Int
  ) -> Measurement {
    let hits = Atomic<Int>(0)
    func distance() -> Double? { threads > 1 ? CoreDistance.nanoseconds() : nil }
    let before = distance()
    let start = nanosecondsNow(CLOCK_MONOTONIC)
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      let part = requests * thread / threads..<requests * (thread + 1) / threads
      hits.wrappingAdd(body(part), ordering: .relaxed)
    }
    let end = nanosecondsNow(CLOCK_MONOTONIC)
    return Measurement(
      requests: requests,
      wallSeconds: Double(end - start) / 1e9,
      hitRatio: Double(hits.load(ordering: .relaxed)) / Double(requests),
      distanceNanoseconds: [before, distance()].compactMap(\.self).max())
  }

  private static func replay(
    _ cache: some BenchmarkCache<Int, Int>, _ keys: ArraySlice<Int>
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
