import Testing

@testable import LarderTraces

/// Invalid parameters give one clear line, before anything is generated.
struct GeneratorErrorTests {
  private func message(
    _ text: String, requests: Int = 10, sizes: String? = nil, ttls: String? = nil,
    operations: [String: Double]? = nil, rate: Double? = nil
  ) -> String? {
    Generated.message {
      _ = try Generated.source(
        try Generated.spec(
          text, requests: requests, sizes: sizes, ttls: ttls, operations: operations, rate: rate))
    }
  }

  @Test func unknownNamesSuggestNearest() {
    #expect(message("zipff") == "zipff: unknown generator; did you mean 'zipf'?")
    #expect(
      message("qqqqqqqqq")?.hasPrefix("qqqqqqqqq: unknown generator; known are zipf, ") == true)
    #expect(
      message("zipf:object=5") == "zipf: object: unknown parameter; did you mean 'objects'?")
    #expect(
      message("loop:colour=5") == "loop: colour: unknown parameter; it has objects")
    #expect(
      message("zipf", sizes: "lognormal")
        == "lognormal: unknown distribution; did you mean 'log-normal'?")
    #expect(
      message("zipf", sizes: "uniform:maximum=4")
        == "maximum: unknown parameter; it has min, max".withName("uniform"))
  }

  @Test(arguments: [0, -1, Int.min, Int.max, 4_294_967_295])
  func invalidRequestCountsAreRejected(requests: Int) {
    #expect(
      message("zipf", requests: requests)
        == "zipf: requests: expected a whole number from 1 to 4294967294, found \(requests)")
  }

  @Test(arguments: [0, -1, Double.nan, .infinity]) func invalidRatesAreRejected(rate: Double) {
    #expect(
      message("zipf", rate: rate)
        == "zipf: rate: expected requests per second above 0, found \(rate)")
  }

  @Test func ratesMustNotOverflowTheClock() {
    #expect(message("zipf", rate: 1e-12)?.contains("more than 300 years") == true)
  }

  @Test func operationSharesAreChecked() {
    func found(_ operations: [String: Double]) -> String? {
      message("zipf", operations: operations)
    }
    #expect(found(["get": 1]) == nil)
    #expect(found(["get": 0.5, "set": 0.4, "delete": 0.1]) == nil)
    #expect(
      found(["get": 0.5, "put": 0.5])
        == "zipf: operations: unknown operation 'put'; known are get, set, delete, modify")
    #expect(
      found(["get": 0.5, "set": 0.4])
        == "zipf: operations: expected shares with a sum of 1, found 0.9")
    #expect(
      found(["get": 1.5, "set": -0.5])
        == "zipf: operations: expected a share from 0 to 1 for get, found 1.5")
    #expect(found(["get": .nan])?.contains("expected a share from 0 to 1 for get") == true)
    #expect(found([:])?.contains("found 0.0") == true)
  }

  @Test func distributionsAreChecked() {
    func sizes(_ text: String) -> String? { message("zipf", sizes: text) }
    #expect(sizes("constant:value=0")?.hasPrefix("constant: value: expected a size") == true)
    #expect(sizes("constant:value=5GiB")?.hasPrefix("constant: value: expected a size") == true)
    #expect(sizes("constant:value=1.5") != nil)
    #expect(sizes("constant:value=1.5KiB") == nil)
    #expect(
      sizes("uniform:min=10:max=5")
        == "uniform: max: expected at least min (10), found '5'")
    #expect(sizes("log-normal:sigma=-1")?.hasPrefix("log-normal: sigma: expected") == true)
    #expect(sizes("pareto:alpha=0")?.hasPrefix("pareto: alpha: expected a number from") == true)
    #expect(
      sizes("list") == "list: values: is required: a comma-separated list, each a size"
        + " from 1 to 4294967295 bytes, such as 500, 8KiB or 1MB")
    let list = "list: values: expected a comma-separated list"
    #expect(sizes("list:values=1,x")?.hasPrefix(list) == true)
    #expect(sizes("list:values=")?.hasPrefix(list) == true)
    #expect(
      sizes("list:values=1,2:weights=1")
        == "list: weights: expected 2 weights, one per value, found '1'")
    #expect(sizes("list:values=1,2:weights=0,0")?.contains("sum above 0") == true)
    #expect(sizes("list:values=1,2:weights=1,-1") != nil)
    #expect(message("zipf", ttls: "constant:value=-5") != nil)
    #expect(message("zipf", ttls: "constant:value=0") == nil)
  }
}

extension String {
  fileprivate func withName(_ name: String) -> String { "\(name): \(self)" }
}
