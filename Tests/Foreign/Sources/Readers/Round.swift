import Foundation
import Synchronization

/// Threads that get, set and remove on one cache for a while.
final class Round<Cache: SharedCache>: @unchecked Sendable {
  private let cache: Cache
  private let settings: Settings
  private let isOver = Atomic(false)
  private let gets = Atomic(0)
  private let hits = Atomic(0)
  private let failure = Mutex<String?>(nil)

  init(_ cache: Cache, _ settings: Settings) {
    self.cache = cache
    self.settings = settings
  }

  /// Runs the threads for `seconds`, and returns the counts and the first wrong value, if any.
  func run(seconds: Double) -> (gets: Int, hits: Int, failure: String?) {
    let threads = (0..<settings.threads).map { number in
      let thread = Thread { [self] in
        work(seed: settings.seed &+ UInt64(number) &* 0x9E37_79B9_7F4A_7C15)
        done.signal()
      }
      thread.stackSize = 1 << 20
      return thread
    }
    for thread in threads { thread.start() }
    if settings.records { record(seconds) } else { Thread.sleep(forTimeInterval: seconds) }
    isOver.store(true, ordering: .relaxed)
    for _ in threads { done.wait() }
    return (gets.load(ordering: .relaxed), hits.load(ordering: .relaxed), failure.withLock { $0 })
  }

  private let done = DispatchSemaphore(value: 0)

  /// Starts and stops recordings while the threads are running: of all keys, of a part, and none.
  private func record(_ seconds: Double) {
    let end = Date(timeIntervalSinceNow: seconds)
    let path = NSTemporaryDirectory() + "larder-readers-\(UUID())"
    var number = 0
    while Date() < end, !isOver.load(ordering: .relaxed) {
      do {
        let recording = try cache.record(to: path, sampling: number % 2 == 0 ? 1 : 0.1)
        Thread.sleep(forTimeInterval: 0.02)
        let statistics = recording.stop()
        if let error = statistics.error { failure.withLock { $0 = $0 ?? error } }
        if number % 3 == 0 { Thread.sleep(forTimeInterval: 0.01) }
      } catch {
        failure.withLock { $0 = $0 ?? "\(error)" }
      }
      try? FileManager.default.removeItem(atPath: path)
      number += 1
    }
  }

  private func work(seed: UInt64) {
    var random = seed
    var (asked, found, version) = (0, 0, 0)
    while !isOver.load(ordering: .relaxed) {
      for _ in 0..<64 {
        // xorshift64*: Marsaglia, Xorshift RNGs, Journal of Statistical Software 2003.
        random ^= random >> 12
        random ^= random << 25
        random ^= random >> 27
        let draw = Int(truncatingIfNeeded: (random &* 0x2545_F491_4F6C_DD1D) >> 33)
        let key = draw % settings.keys
        let choice = draw / settings.keys % 1000
        if choice < settings.setsPerMille {
          version += 1
          cache.set(Cache.Value(key: key, version: version), for: key)
        } else if choice < settings.setsPerMille + settings.removalsPerMille {
          cache.remove(key)
        } else if choice < settings.changesUpToPerMille {
          version += 1
          cache.change(key, draw / settings.keys / 1000, Cache.Value(key: key, version: version))
        } else {
          asked += 1
          guard let value = cache.get(key) else { continue }
          found += 1
          if !value.belongs(to: key) { fail(key, value) }
        }
      }
    }
    gets.wrappingAdd(asked, ordering: .relaxed)
    hits.wrappingAdd(found, ordering: .relaxed)
  }

  private func fail(_ key: Int, _ value: Cache.Value) {
    failure.withLock { if $0 == nil { $0 = "get(\(key)) returned \(value)" } }
    isOver.store(true, ordering: .relaxed)
  }
}
