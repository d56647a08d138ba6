import Foundation
import Larder
import Testing

/// Values that an app's tests create without a cache and with `import Larder` alone: requests to
/// its loaders, and the results, events and statistics that its code handles.
@Suite struct PublicInterfaceTests {
  private struct NotFound: Error {}

  private static func load(_ request: OriginRequest<String>) throws -> OriginAnswer<Int> {
    if request.version == "7" { return .notModified(maxAge: .seconds(60)) }
    if request.key == "none" { return .absent }
    guard let number = Int(request.key) else { throw NotFound() }
    return .value(number, version: "7", maxAge: .seconds(60), fetchCost: 2)
  }

  @Test func loadersAreCalledWithoutACache() throws {
    guard case .value(5, "7", .seconds(60), nil, 2) = try Self.load(OriginRequest(key: "5")) else {
      Issue.record("not the value")
      return
    }
    let again = OriginRequest(key: "5", version: "7", created: .now, isBackground: true)
    guard case .notModified = try Self.load(again) else {
      Issue.record("not confirmed")
      return
    }
    #expect(throws: NotFound.self) { try Self.load(OriginRequest(key: "x")) }
  }

  @Test(arguments: [nil, "7"], [nil, Date(timeIntervalSince1970: 2_000)])
  func hitsConsistOfTheirParts(version: String?, expires: Date?) {
    let created = Date(timeIntervalSince1970: 1_000)
    let hit = CacheHit(
      5, tier: .disk, created: created, expires: expires, version: version, freshness: .stale)
    #expect(hit.value == 5 && hit.tier == .disk && hit.freshness == .stale)
    #expect(hit.created == created && hit.expires == expires && hit.version == version)
    #expect(hit.contentType == nil && !hit.isPermanent)
    #expect(CacheResult.hit(hit).value == 5)
  }

  @Test func diskResultsConsistOfTheirParts() {
    let created = Date(timeIntervalSince1970: 1_000)
    var metadata = DiskMetadata(version: "7", created: created, fetchCost: 3, isExpired: true)
    metadata.expires = created + 60
    let entry = DiskEntry(data: Data([1]), metadata: metadata)
    #expect(entry.metadata.created == created && entry.metadata.expires == created + 60)
    #expect(entry.metadata.fetchCost == 3 && entry.metadata.isExpired)
    metadata.created = created + 1
    metadata.expires = nil
    #expect(metadata.created == created + 1 && metadata.expires == nil)
    #expect(DiskSuiteUsage(name: "s", count: 2, bytes: 9).count == 2)
    let freed = Freed(memoryCount: 1, count: 2, valueBytes: 3, diskBytes: 4)
    #expect(freed.memoryCount == 1 && freed.count == 2 && freed.diskBytes == 4)
  }

  @Test func typesOfTheEngineNeedNoOtherImport() throws {
    let rules = HybridCacheConfiguration.Rules(promotion: .never)
    #expect(HybridCacheConfiguration(rules: rules).rules == rules)
    let fault: CachePolicy.Fault? =
      if case .policy(let fault) = #expect(
        throws: MemoryCacheError.self,
        performing: { try MemoryCache<Int, Int>(count: 1, policy: "none") })
      { fault } else { nil }
    #expect(fault != nil)
  }
}
