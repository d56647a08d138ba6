import LarderEngine
import Testing

@testable import Larder

/// Policies as values, in the places where a name is accepted as well.
@Suite struct CachePolicyTests {
  static let named: [CachePolicy] = [
    .fifo, .lru, .lfu, .sieve, .slru, .arc, .lirs, .s3FIFO, .wTinyLFU, .auto, .gdsf,
    .earliestExpiry,
  ]

  @Test(arguments: named)
  func everyConstantIsAPolicyThatACacheCanHave(policy: CachePolicy) throws {
    #expect(Policies.executable.contains(policy.description))
    let cache = try MemoryCache<Int, Int>(count: 10, policy: policy)
    for _ in 0..<2 { cache.set(1, for: 1) }
    #expect(cache.value(for: 1) == 1)
  }

  @Test func constantsDiffer() {
    #expect(Set(Self.named).count == Self.named.count)
  }

  /// Literals, constants, names with parameters and variables, for both kinds of cache.
  @Test func allFormsAreEqual() throws {
    let text = "s3-fifo"
    let limits = MemoryCacheLimits(count: 100)
    let memory: [MemoryCacheConfiguration] = [
      MemoryCacheConfiguration(limits: limits, policy: "s3-fifo"),
      MemoryCacheConfiguration(limits: limits, policy: .s3FIFO),
      MemoryCacheConfiguration(limits: limits, policy: CachePolicy(text)),
    ]
    #expect(memory.allSatisfy { $0.policy == .s3FIFO })
    #expect(MemoryCacheConfiguration(limits: limits).policy == .lru)
    let disk: [DiskConfiguration] = [
      DiskConfiguration(policy: "s3-fifo"), DiskConfiguration(policy: .s3FIFO),
      DiskConfiguration(policy: CachePolicy(text)),
    ]
    #expect(disk.allSatisfy { $0.policy == .s3FIFO } && DiskConfiguration().policy == .lru)
    _ = try MemoryCache<Int, Int>(count: 10, policy: CachePolicy(text))
    _ = try MemoryCache<Int, Int>(count: 10, policy: "sieve")
    _ = MemoryCache<Int, Int>(count: 10)
    var configuration = memory[0]
    configuration.policy = "lru-k:k=3"
    #expect(configuration.policy.description == "lru-k:k=3")
    configuration.policy = .sieve
    #expect("\(configuration.policy)" == "sieve")
  }

  @Test func unknownPolicyIsRejectedByTheCache() {
    for wrong in ["nothing" as CachePolicy, "s3-fifo:small=2", "s3-fifo:sma", ""] {
      #expect(throws: MemoryCacheError.self) {
        try MemoryCache<Int, Int>(count: 10, policy: wrong)
      }
    }
  }
}
