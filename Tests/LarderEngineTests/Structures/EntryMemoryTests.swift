import LarderPolicies
import TestSupport
import Testing

@testable import LarderEngine
@testable import LarderResearchServers

@Suite struct EntryMemoryTests {
  /// Entries larger than the few bytes that other tests give a whole cache.
  static let specs = [
    "memcached:memory=server:key=20", "memcached:memory=server:page=256:first=80",
    "memcached:beyond=0:page=256:first=80",
    "nginx:memory=server", "nginx:memory=server:key=0:inactive=20",
    "nginx:clock=requests:rate=1", "nginx:clock=requests:rate=3:keys=9:inactive=0",
    "varnish:memory=server",
    "varnish:memory=server:key=9", "redis-lru:empty=0",
    "redis-lru:memory=server:key=31:empty=500:quantum=8",
    "redis-lfu:memory=server:key=300:empty=99:quantum=8",
  ]

  @Test(arguments: [
    (1, 8), (8, 8), (9, 16), (64, 64), (65, 80), (80, 80), (81, 96), (113, 128), (129, 160),
    (161, 192), (256, 256), (257, 320), (448, 448), (449, 512), (513, 640), (1025, 1280),
  ])
  func allocations(bytes: UInt64, taken: UInt64) {
    #expect(EntryMemory.allocated(bytes) == taken)
    #expect(NaiveEntryMemory.jemalloc(Int(bytes)) == Int(taken))
  }

  @Test func redis() throws {
    let packaged = try PolicySpec(parsing: "redis-lru")
    let own = try PolicySpec(parsing: "redis-lru:quantum=8")
    // Measured by INFO of Debian's Redis 7.0.15, without the table.
    for (value, bytes) in [(10, 96), (44, 128), (45, 144), (64, 160), (1000, 1104)] {
      #expect(RedisLRU.entryBytes(packaged, value: UInt64(value), key: 16) == bytes)
    }
    // A value of 44 bytes is in the allocation of its object.
    #expect(RedisLFU.entryBytes(own, value: 44, key: 16) == 24 + 24 + 64)
    #expect(RedisLRU.entryBytes(own, value: 45, key: 40) == 24 + 48 + 16 + 56)
  }

  /// The table doubles at the fifth entry, and leaves the memory above the capacity.
  @Test(arguments: ["redis-lru", "redis-lfu"])
  func redisDeclaresThatHitsEvict(policy: String) throws {
    let spec = try PolicySpec(parsing: policy + ":empty=0:key=0")
    let probe = try PolicyProbe(spec, capacity: 400, unit: .bytes, objects: 5)
    for id: ObjectID in [1, 2, 3, 4, 5] { _ = probe.request(Request(id: id, size: 1)) }
    #expect(probe.evicted.isEmpty && probe.request(Request(id: 5, size: 1)) == .hit)
    #expect(probe.evicted.count == 1)
    let traits = try PolicyRegistry.policy(named: spec).description.traits
    #expect(traits.contains(.evictsOnHit))
  }

  /// Minutes have 16 bits: from the last but one to the second of the next round are two of decay.
  @Test func minutesOfRedisWrapAround() throws {
    var policy = try RedisLFU(
      PolicySetup(
        capacity: 9, unit: .objects, objects: 9, seed: 1, spec: PolicySpec(parsing: "redis-lfu")))
    policy.notice(.time(65_537 * 60_000_000))
    #expect(policy.score(65_535 << 8 | 100) == 255 - 98)
  }

  private let plain: PolicySpec

  init() throws { plain = try PolicySpec(parsing: "memcached") }

  @Test func memcached() { #expect(Memcached.entryBytes(plain, value: 100, key: 16) == 175) }

  @Test func nginx() {
    #expect(Nginx.entryBytes(plain, value: 3503, key: 250) == 4096)
    #expect(Nginx.entryBytes(plain, value: 3504, key: 250) == 8192)
  }

  /// Varnish 7.1's accounting: 120, and 80 for the headers of this response.
  @Test func varnish() {
    #expect(Varnish.entryBytes(plain, value: 1000, key: 80) == 1200)
    #expect(Varnish.entryBytes(plain, value: 1001, key: 73) == 1201)
  }

  @Test(arguments: [
    ("memcached:memory=all", "server or values"), ("redis-lru:key=-1", "0 to 65535"),
    ("nginx:key=65536", "0 to 65535"),
  ])
  func badValues(spec: String, expected: String) throws {
    let spec = try PolicySpec(parsing: spec)
    let error = #expect(throws: PolicyError.self) { try PolicyRegistry.validate(spec) }
    #expect(error?.description.contains(expected) == true)
  }

  @Test(arguments: EntryMemoryTests.specs)
  func modelsAgree(spec: String) throws {
    var random = TestRandom(seed: 31)
    let policy = try PolicySpec(parsing: spec)
    for round in 0..<TestEffort.rounds(150, atLeast: 10) {
      let room = policy.name == "nginx" ? 20_000 : 3000
      func tier() -> TierSetup {
        TierSetup(
          policy: policy, capacity: UInt64(1 + random.below(room)),
          objectsMax: random.oneIn(4) ? UInt64(1 + random.below(12)) : nil)
      }
      let arrangements: [Arrangement] = [
        .memory(tier()), .disk(tier()),
        .hybrid(
          memory: tier(), disk: tier(),
          rules: HybridRules(inclusion: round % 2 == 0 ? .inclusive : .exclusive)),
      ]
      let setup = SimulationSetup(
        arrangement: arrangements[round % 3], unit: .bytes, seed: random.next())
      var maker = TestTraceMaker(
        features: .random(&random), capacity: UInt64(room / 8),
        random: TestRandom(seed: random.next()))
      let trace = maker.make(requests: 200, objects: 40)
      guard try Differential.agrees(on: trace, setup, sparse: random.oneIn(2)) else { return }
    }
  }
}
