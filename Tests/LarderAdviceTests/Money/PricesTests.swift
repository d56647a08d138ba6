import Foundation
import Testing

@testable import LarderExperiments

@Suite struct PricesTests {
  private func prices(_ text: String) throws(AdviceError) -> Prices {
    try Prices(yaml: Data(text.utf8), file: "p.yaml")
  }

  @Test func everyKeyIsRead() throws {
    for key in Prices.keys.dropFirst() {
      #expect(try prices("\(key.name): 12.5").number(of: key.name) == 12.5, "\(key.name)")
    }
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
    ("- 1", "expected a map of prices"), ("", "expected a map of prices"),
    ("a: [", "not valid YAML"), ("currency: A\ncurrency: B", "occurs twice"),
    ("[a]: 1", "expected the name of a price"),
  ])
  func errorsAreReported(_ text: String, _ message: String) {
    #expect {
      try prices(text)
    } throws: { error in
      let line = "\(error)"
      return error is AdviceError && line.contains(message) && !line.contains("\n")
    }
  }

  @Test func hostileFilesAreRejected() {
    for bytes in [Data([0xFF, 0xFE, 0x00]), Data(repeating: 0x20, count: 100_000)] {
      #expect(throws: AdviceError.self) { try Prices(yaml: bytes, file: "p.yaml") }
    }
    let nested = "a: " + String(repeating: "[", count: 20_000)
    #expect(throws: AdviceError.self) { try prices(nested) }
  }

  @Test func costsFollowFromPrices() throws {
    var prices = Prices()
    prices.requestsPerMonth = 1e6
    prices.objectBytes = 1_048_576
    let trace = try AdviceStand.generated("zipf:objects=100", requests: 1000)
    let model = CostModel(prices, trace: trace, unit: .objects, gets: 1000, bytes: 0)
    // 1024 objects of 1 MiB are a GiB.
    #expect(model.memory(1024) == 3)
    let misses = model.origin(hitRatio: 0.5, byteHitRatio: nil)
    #expect((misses - (0.2 + 0.5e6 / 1024 * 0.05)).magnitude < 1e-9)
    #expect(model.origin(hitRatio: 1, byteHitRatio: nil) == 0)
    // Keeping a GiB for a month costs 3, fetching it 1024 * 0.4e-6 + 0.05.
    let seconds = try #require(model.breakEvenSeconds(perGiBMonth: 3))
    #expect((seconds / Prices.monthSeconds - (1024 * 0.4e-6 + 0.05) / 3).magnitude < 1e-9)
    #expect(model.breakEvenSeconds(perGiBMonth: 0) == nil)
    // A GiB written once wears out a thousandth of a GiB of flash.
    let flash = model.flash(1024, writtenPerGet: 1024.0 / 1e6, readShare: 0)
    #expect((flash - (0.1 + 0.0001)).magnitude < 1e-9)
  }
}
