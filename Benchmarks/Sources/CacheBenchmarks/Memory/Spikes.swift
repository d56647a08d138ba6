import ArgumentParser
import Foundation
import Larder

/// Longest calls of a memory cache, in processor time of the calling thread.
struct Spikes: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "spikes", abstract: "Longest calls of a memory cache, in processor time.",
    discussion: """
      Phases: "growing" stores new integers until the cache is full; "churn" gets, and sets on a \
      miss, over four times as many keys, first a Zipf distribution and then a loop, so that 'auto' \
      changes its policy; "shrinking" goes on while another thread halves and restores the limit. \
      A system that interrupts threads makes a few calls longer: the column before the last leaves \
      out one in a million.
      """)

  @Option var policies = "lru,sieve,s3-fifo,w-tinylfu,lirs,arc,auto"
  @Option var shards = "16,1"
  @Option(help: "Entries that the cache holds.") var capacity = 1_000_000

  func run() throws {
    print(
      "| policy | shards | phase | calls | median, ns | 99.99 %, us | 99.9999 %, us | longest, us |"
    )
    print("|---|---:|---|---:|---:|---:|---:|---:|")
    for shards in shards.split(separator: ",").compactMap({ Int($0) }) {
      for policy in policies.split(separator: ",").map(String.init) {
        try measure(policy, shards)
      }
    }
  }

  private func measure(_ policy: String, _ shards: Int) throws {
    touchMemory()
    let cache = try MemoryCache<Int, Int>(
      MemoryCacheConfiguration(
        limits: MemoryCacheLimits(count: capacity), policy: CachePolicy(policy), shards: shards,
        hashing: .fast))
    var calls = Calls()
    for key in 0..<capacity { calls.take { cache.set(key, for: key) } }
    report(policy, shards, "growing", calls)

    func request(_ key: Int) {
      var isHit = false
      calls.take { isHit = cache.value(for: key) != nil }
      if !isHit { calls.take { cache.set(key, for: key) } }
    }
    touchMemory()
    calls = Calls()
    for key in try CacheBenchmarks.zipfKeys(requests: capacity * 4, objects: capacity * 4) {
      request(key)
    }
    for _ in 0..<4 { for key in 0..<capacity * 5 / 4 { request(-key) } }
    report(policy, shards, "churn", calls)

    calls = Calls()
    for limit in [capacity / 2, capacity] {
      let changed = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        do { try cache.setLimits(MemoryCacheLimits(count: limit)) } catch { fatalError("\(error)") }
        changed.signal()
      }
      for key in 0..<capacity { request(key) }
      changed.wait()
    }
    report(policy, shards, "shrinking", calls)
  }

  /// A virtual machine's host gives a page when it is first touched, which takes some milliseconds
  /// if it is a huge one: here, and not in a call.
  private func touchMemory() {
    let bytes = 512 << 20
    let memory = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 1, count: bytes)
    memory.deallocate()
  }

  private func report(_ policy: String, _ shards: Int, _ phase: String, _ calls: Calls) {
    let times = calls.nanoseconds.sorted()
    func microseconds(but one: Int) -> String {
      String(format: "%.1f", Double(times[times.count - 1 - times.count / one]) / 1000)
    }
    print(
      "| \(policy) | \(shards) | \(phase) | \(times.count) | \(times[times.count / 2]) |",
      "\(microseconds(but: 10_000)) | \(microseconds(but: 1_000_000)) |",
      "\(microseconds(but: times.count + 1)) |")
  }

  /// Times of calls, each with the cost of reading the clock.
  private struct Calls {
    var nanoseconds: [UInt32] = []

    mutating func take(_ call: () -> Void) {
      let begun = Measurement.nanosecondsNow(CLOCK_THREAD_CPUTIME_ID)
      call()
      let time = Measurement.nanosecondsNow(CLOCK_THREAD_CPUTIME_ID) - begun
      nanoseconds.append(UInt32(clamping: time))
    }
  }
}
