import LarderEngine
import Testing

@testable import LarderTraces

/// Properties of all registered generators.
struct GeneratorContractTests {
  static let names = GeneratorRegistry.all.map(\.description.name)

  @Test(arguments: names) func runsAreEqualAndSeedsDiffer(name: String) throws {
    let first = try Generated.records(name, requests: 5000, seed: 1)
    #expect(first == (try Generated.records(name, requests: 5000, seed: 1)))
    let source = try Generated.source(try Generated.spec(name, requests: 5000))
    #expect(first == (try allRecords(source)))
    #expect(first == (try allRecords(source)), "a source can run again")
    if !["sequential", "loop"].contains(name) {
      #expect(first != (try Generated.records(name, requests: 5000, seed: 2)))
    }
  }

  @Test(arguments: names, [1, 2047, 2048, 2049, 5000])
  func requestCountIsExact(name: String, requests: Int) throws {
    #expect(try Generated.records(name, requests: requests).count == requests)
  }

  /// A shorter trace is the beginning of a longer one, unless the number of requests determines the
  /// number of objects.
  @Test(arguments: names.filter { !$0.hasPrefix("ycsb") })
  func shorterTraceIsABeginning(name: String) throws {
    let long = try Generated.records(name, requests: 6000)
    #expect(try Generated.records(name, requests: 4100) == Array(long[..<4100]))
  }

  @Test(arguments: names) func recordsKeepTheContract(name: String) throws {
    let source = try Generated.source(try Generated.spec(name, requests: 20_000))
    let columns = source.columns
    let records = try allRecords(source)
    #expect(zip(records, records.dropFirst()).allSatisfy { $0.time <= $1.time })
    let limit = UInt64(try #require(source.keyLimit))
    #expect(records.allSatisfy { $0.key < limit && $0.size >= 1 && $0.cost == 1 })
    #expect(records.allSatisfy { Operation(rawValue: $0.operation) != nil })
    #expect(columns.contains(.size) || records.allSatisfy { $0.size == 1 })
    #expect(columns.contains(.time) || records.allSatisfy { $0.time == 0 })
    #expect(columns.contains(.ttl) || records.allSatisfy { $0.ttl == 0 })
    #expect(columns.contains(.operation) || records.allSatisfy { $0.operation == 0 })
    if columns.contains(.time) { #expect(records[records.count - 1].time > 0) }
    var sizes: [UInt64: UInt32] = [:]
    for record in records { sizes[record.key] = record.size }
    #expect(records.allSatisfy { sizes[$0.key] == $0.size }, "an object has one size")
  }

  @Test func namesAndTextsAreInOrder() {
    #expect(Set(Self.names).count == Self.names.count)
    for generator in GeneratorRegistry.all {
      let description = generator.description
      #expect(description.name == description.name.lowercased())
      #expect(description.summary.hasSuffix(".") && description.source.hasSuffix("."))
      for parameter in description.parameters {
        #expect(parameter.name == parameter.name.lowercased())
        #expect(parameter.summary.hasSuffix("."))
      }
    }
  }

  @Test(arguments: names) func sizesAndTimesToLiveCanBeAdded(name: String) throws {
    let spec = try Generated.spec(
      name, requests: 3000, sizes: "uniform:min=10:max=20", ttls: "constant:value=2h")
    let source = try Generated.source(spec)
    #expect(source.columns.isSuperset(of: [.size, .ttl, .time]))
    for record in try allRecords(source) {
      #expect((10...20).contains(record.size))
      #expect(record.ttl == 7200)
    }
  }
}
