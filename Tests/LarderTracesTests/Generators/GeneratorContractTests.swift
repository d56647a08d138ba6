import LarderEngine
import Testing

@testable import LarderTraces

/// What every generator in the registry promises.
struct GeneratorContractTests {
  static let names = GeneratorRegistry.all.map(\.description.name)

  @Test(arguments: names) func runsAreEqualAndSeedsDiffer(name: String) throws {
    let first = try Generated.records(name, requests: 5000, seed: 1)
    #expect(first == (try Generated.records(name, requests: 5000, seed: 1)))
    let source = try Generated.source(try Generated.spec(name, requests: 5000))
    #expect(first == (try Generated.records(source)))
    #expect(first == (try Generated.records(source)), "a source can run again")
    if !["sequential", "loop"].contains(name) {
      #expect(first != (try Generated.records(name, requests: 5000, seed: 2)))
    }
  }

  @Test(arguments: names, [1, 2047, 2048, 2049, 5000])
  func countIsWhatWasAskedFor(name: String, requests: Int) throws {
    #expect(try Generated.records(name, requests: requests).count == requests)
  }

  /// A shorter trace is the beginning of a longer one, except where the number of requests decides
  /// how many objects there will be.
  @Test(arguments: names.filter { !$0.hasPrefix("ycsb") })
  func shorterTraceIsABeginning(name: String) throws {
    let long = try Generated.records(name, requests: 6000)
    #expect(try Generated.records(name, requests: 4100) == Array(long[..<4100]))
  }

  @Test(arguments: names) func recordsKeepTheContract(name: String) throws {
    let source = try Generated.source(try Generated.spec(name, requests: 20_000))
    let columns = source.columns
    var time: UInt64 = 0
    var sizes: [UInt64: UInt32] = [:]
    for record in try Generated.records(source) {
      #expect(record.time >= time)
      time = record.time
      if let limit = source.keyLimit { #expect(record.key < UInt64(limit)) }
      #expect(record.size >= 1)
      #expect(Operation(rawValue: record.operation) != nil)
      #expect(columns.contains(.size) || record.size == 1)
      #expect(columns.contains(.time) || record.time == 0)
      #expect(columns.contains(.ttl) || record.ttl == 0)
      #expect(columns.contains(.operation) || record.operation == Operation.get.rawValue)
      #expect(record.cost == 1)
      if let size = sizes[record.key] {
        #expect(size == record.size)
      } else {
        sizes[record.key] = record.size
      }
    }
    if columns.contains(.time) { #expect(time > 0) }
  }

  @Test(arguments: names) func keysFitATable(name: String) throws {
    let source = try Generated.source(try Generated.spec(name, requests: 1000))
    #expect(source.keyLimit != nil)
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
    for record in try Generated.records(source) {
      #expect((10...20).contains(record.size))
      #expect(record.ttl == 7200)
    }
  }
}
