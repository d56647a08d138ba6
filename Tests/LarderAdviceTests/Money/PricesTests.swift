import Foundation
import Testing

@testable import LarderExperiments

@Suite struct PricesTests {
  private func prices(_ text: String) throws(WorkloadError) -> Prices {
    try Prices(yaml: Data(text.utf8), file: "p.yaml")
  }

  @Test func everyKeyIsRead() throws {
    for key in Prices.keys {
      guard let amount = key.amount else { continue }
      #expect(try prices("\(key.name): 12.5")[keyPath: amount] == 12.5, "\(key.name)")
    }
    #expect(try prices("requests-per-month: 12.5").requestsPerMonth == 12.5)
    let some = try prices("# mine\ncurrency: EUR\nmemory-per-gib-month: 2e0\n")
    #expect(some.currency == "EUR" && some.memoryPerGiBMonth == 2)
    #expect(some.flashPerGiBMonth == Prices().flashPerGiBMonth)
  }

  @Test(arguments: [
    ("memory-per-gib: 3", "p.yaml:1: unknown key 'memory-per-gib'; did you mean"),
    ("colour: 3", "known are currency, memory-per-gib-month"),
    ("currency: EUR\norigin-per-gib: dear", "p.yaml:2: origin-per-gib: expected a number"),
    ("origin-per-gib: -1", "found '-1'"), ("origin-per-gib: nan", "found 'nan'"),
    ("origin-per-gib: [1]", "expected a number"), ("object-bytes: 0", "expected a number"),
    ("- 1", "expected a map of prices"), ("", "found an empty file"),
    ("a: [", "not valid YAML"), ("currency: A\ncurrency: B", "occurs again"),
    ("[a]: 1", "expected a key"),
  ])
  func errorsAreReported(_ text: String, _ message: String) {
    #expect {
      try prices(text)
    } throws: { error in
      let line = "\(error)"
      return error is WorkloadError && line.contains(message) && !line.contains("\n")
    }
  }

  @Test func hostileFilesAreRejected() {
    for bytes in [Data([0xFF, 0xFE, 0x00]), Data(repeating: 0x20, count: 100_000)] {
      #expect(throws: WorkloadError.self) { try Prices(yaml: bytes, file: "p.yaml") }
    }
    let nested = "a: " + String(repeating: "[", count: 20_000)
    #expect(throws: WorkloadError.self) { try prices(nested) }
  }

  @Test func costsFollowFromPrices() throws {
    var prices = Prices()
    prices.requestsPerMonth = 1e6
    prices.objectBytes = 1_048_576
    let trace = try AdviceStand.generated("zipf:objects=100", requests: 1000)
    let model = CostModel(prices, trace: trace, unit: .objects, gets: 1000, bytes: 0)
    // 1024 objects of 1 MiB are a GiB.
    let full = model.cost(memory: 1024, Served(hitRatio: 1))
    #expect(full.storage == 3 && full.misses == 0)
    let misses = model.cost(Served(hitRatio: 0.5)).misses
    #expect((misses - (0.2 + 0.5e6 / 1024 * 0.05)).magnitude < 1e-9)
    // Keeping a GiB for a month costs 3, fetching it 1024 * 0.4e-6 + 0.05.
    let seconds = try #require(model.breakEvenSeconds(in: .memory))
    #expect((seconds / Prices.monthSeconds - (1024 * 0.4e-6 + 0.05) / 3).magnitude < 1e-9)
    // A GiB written once wears out a thousandth of a GiB of flash.
    let flash = model.cost(disk: 1024, Served(hitRatio: 1, writtenPerGet: 1024.0 / 1e6)).storage
    #expect((flash - (0.1 + 0.0001)).magnitude < 1e-9)
    // Each tier has its own price, and misses their bytes.
    let both = model.cost(memory: 1024, disk: 2048, Served(hitRatio: 0.5, byteHitRatio: 0.25))
    #expect((both.storage - 3.2).magnitude < 1e-9)
    #expect((both.misses - (0.2 + 0.75e6 / 1024 * 0.05)).magnitude < 1e-9)
    prices.memoryPerGiBMonth = 0
    let free = CostModel(prices, trace: trace, unit: .objects, gets: 1000, bytes: 0)
    #expect(free.breakEvenSeconds(in: .memory) == nil)
  }
}
