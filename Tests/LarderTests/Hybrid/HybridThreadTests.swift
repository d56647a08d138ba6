import Foundation
import LarderEngine
import Synchronization
import TestSupport
import Testing

@testable import Larder

/// Threads against a simple model: a get may only return a value that its key had at some moment
/// during the call, or nothing.
@Suite(.endsInTime) struct HybridThreadTests {
  struct Setting: CustomTestStringConvertible, Sendable {
    var name: String
    var rules = HybridRules()
    var policy = "lru"
    var testDescription: String { name }
  }

  static let settings = [
    Setting(name: "inclusive"),
    Setting(name: "exclusive", rules: HybridRules(inclusion: .exclusive)),
    Setting(
      name: "exclusive, hits evict",
      rules: HybridRules(inclusion: .exclusive, promotion: .secondHit), policy: "slru"),
    Setting(
      name: "second hit, s3-fifo", rules: HybridRules(promotion: .secondHit), policy: "s3-fifo"),
  ]

  /// A call, in ticks of a clock shared by all threads.
  private struct Call: Sendable {
    enum Kind: Sendable { case read, write }
    var kind: Kind
    var key: Int
    /// The value read or stored; nil for none and for a removal.
    var value: Int?
    var begin: Int
    var end: Int
  }

  private static let keys = 24

  @Test(arguments: settings)
  func readsAreOfValuesThatWereCurrent(setting: Setting) throws {
    let folder = try ScratchFolder()
    var configuration = HybridTestCaches.configuration(
      memory: 8, disk: 16, rules: setting.rules)
    configuration.memory?.configuration.shards = 2
    configuration.memory?.policy = CachePolicy(setting.policy)
    let cache = try HybridCache<Int, Int>(path: folder.path, configuration: configuration)
    let ticks = Atomic<Int>(0)
    let calls = Locked<[Call]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      var random = TestRandom(seed: UInt64(thread))
      var own: [Call] = []
      for step in 0..<2_000 {
        let key = random.below(Self.keys)
        let value = thread * 1_000_000 + step
        let begin = ticks.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        var call = Call(kind: .read, key: key, value: nil, begin: begin, end: 0)
        do {
          switch random.below(20) {
          case 0...11: call.value = try cache.entry(for: key)?.value
          case 12...16:
            call.kind = .write
            call.value = value
            try cache.set(value, for: key)
          case 17...18:
            call.kind = .write
            try cache.remove(key)
          default:
            if step % 50 == 0 { cache.handle(.critical) }
            _ = try cache.contains(key)
          }
        } catch {
          Issue.record("\(error)")
        }
        call.end = ticks.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
        own.append(call)
      }
      calls.withLock { $0 += own }
    }
    check(calls.withLock { $0 })
    try checkThatTiersAgree(cache, setting)
  }

  private func check(_ calls: [Call]) {
    let writes = Dictionary(grouping: calls.filter { $0.kind == .write }, by: \.key)
    var answered = 0
    for read in calls where read.kind == .read {
      guard let value = read.value else { continue }
      answered += 1
      let all = writes[read.key] ?? []
      guard let write = all.first(where: { $0.value == value }) else {
        Issue.record("key \(read.key): \(value) was never stored under it")
        continue
      }
      #expect(write.begin < read.end, "key \(read.key): \(value) was read before it was stored")
      // Another write that began after this one had ended, and ended before the read began.
      let later = all.first { $0.begin > write.end && $0.end < read.begin }
      if let later {
        Issue.record(
          "key \(read.key): \(value) was read after \(later.value.map { "\($0)" } ?? "a removal")")
      }
    }
    #expect(answered > 500)
  }

  /// Checks, without concurrent calls, that memory and disk agree.
  private func checkThatTiersAgree(_ cache: HybridCache<Int, Int>, _ setting: Setting) throws {
    var inMemory: [Int: Int] = [:]
    for key in 0..<Self.keys where cache.memory?.contains(key) == true {
      inMemory[key] = cache.memory?.value(for: key)?.value
    }
    try cache.flush()
    for key in 0..<Self.keys {
      let onDisk = try cache.disk?.value(for: "\(key)").map {
        try JSONDecoder().decode(Int.self, from: $0)
      }
      guard let value = inMemory[key], let onDisk else { continue }
      #expect(setting.rules.inclusion == .inclusive, "key \(key) is in both tiers")
      #expect(value == onDisk, "key \(key)")
    }
  }

  /// Requests of many tasks, with sets and removals between them, each with a unique value.
  @Test func requestsOfManyTasks() async throws {
    let folder = try ScratchFolder()
    let cache = try await HybridCache<Int, Int>(
      path: folder.path, configuration: HybridTestCaches.configuration(memory: 4, disk: 8))
    let origin = TestOrigin()
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          var random = TestRandom(seed: UInt64(task))
          for step in 0..<300 {
            let key = random.below(12)
            switch random.below(10) {
            case 0: _ = try? await cache.set(key * 1000 + 999, for: key)
            case 1: _ = try? await cache.remove(key)
            case 2 where step % 7 == 0: cache.handle(.critical)
            default:
              let strategy = CacheStrategy.allCases[random.below(3)]
              let result = await cache.result(for: key, strategy: strategy) { request in
                origin.set { $0.requests += 1 }
                await Task.yield()
                return .value(request.key * 1000)
              }
              #expect(result.value.map { $0 / 1000 } == key, "\(result)")
            }
          }
        }
      }
    }
    #expect(origin.requests > 0)
    // A background refresh is counted when it begins, possibly before its loader runs.
    for _ in 0..<1000 where cache.readStatistics().loads.started != UInt64(origin.requests) {
      try await Task.sleep(for: .milliseconds(10))
    }
    let statistics = cache.readStatistics()
    #expect(statistics.loads.failed == 0)
    #expect(statistics.loads.started == UInt64(origin.requests))
  }
}
