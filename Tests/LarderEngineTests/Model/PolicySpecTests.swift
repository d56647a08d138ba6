import LarderEngine
import LarderPolicies
import Testing

@Suite struct PolicySpecTests {
  @Test(arguments: [
    "lru", "S3-FIFO:Small=0.1", "s3-fifo:small=1E-1:GHOST=0.9", "W-TinyLFU:window=Adaptive",
    "a:b=İ",
  ])
  func descriptionParsesToTheSameSpec(text: String) throws {
    let spec = try PolicySpec(parsing: text)
    #expect(try PolicySpec(parsing: spec.description) == spec)
    #expect(spec.description == text.lowercased())
  }

  @Test func wordsMayBeInUpperCase() throws {
    let spec = try PolicySpec(parsing: "W-TinyLFU:Window=ADAPTIVE")
    #expect(spec.name == "w-tinylfu" && spec.values == ["window": "adaptive"])
    try PolicyRegistry.validate(spec)
  }

  @Test func repeatedParameterIsRejected() {
    #expect(throws: PolicyError.repeatedParameter(policy: "lru", parameter: "a")) {
      try PolicySpec(parsing: "LRU:a=1:A=2")
    }
  }
}
