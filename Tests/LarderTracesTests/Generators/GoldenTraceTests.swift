import Testing

@testable import LarderTraces

/// The first twelve thousand records of every generator, to the bit: identical on every machine and
/// in every release. A change here changes all users' generated results and must be announced.
struct GoldenTraceTests {
  static let digests: [String: UInt64] = [
    "zipf": 4_851_258_838_880_917_506,
    "uniform": 352_984_359_111_776_356,
    "sequential": 10_090_722_194_084_571_677,
    "loop": 1_324_910_827_723_903_532,
    "scan": 2_545_913_257_483_588_611,
    "hot-spot": 17_382_767_292_870_984_427,
    "latest": 12_504_652_938_400_926_062,
    "shifting": 14_405_006_915_318_841_400,
    "one-hit-wonders": 13_445_178_275_036_345_066,
    "news-feed": 12_129_360_003_277_228_624,
    "product-images": 10_462_361_267_902_631_461,
    "chat": 14_522_978_370_475_949_012,
    "llm-prefix": 5_508_150_864_439_608_091,
    "ycsb-a": 341_586_470_360_333_879,
    "ycsb-b": 8_068_685_597_797_353_015,
    "ycsb-c": 18_022_089_185_045_380_519,
    "ycsb-d": 9_733_693_252_941_562_837,
    "ycsb-e": 8_755_518_976_743_843_402,
    "ycsb-f": 8_660_400_433_334_754_477,
  ]

  @Test func everyGeneratorIsPinned() {
    let names = GeneratorRegistry.all.map(\.description.name)
    #expect(Set(names) == Set(Self.digests.keys))
  }

  @Test(arguments: GeneratorRegistry.all.map(\.description.name))
  func recordsAreBitIdentical(name: String) throws {
    let digest = Generated.digest(try Generated.records(name, requests: 12_000, seed: 42))
    #expect(digest == Self.digests[name], "\"\(name)\": \(digest),")
  }

  @Test func decorationsAreBitIdentical() throws {
    let records = try Generated.records(
      "zipf:scatter=true", requests: 10_000, seed: 42, sizes: "log-normal", ttls: "pareto",
      operations: ["get": 0.8, "set": 0.15, "delete": 0.05], rate: 333)
    #expect(Generated.digest(records) == 6_500_319_363_663_509_708)
  }

  @Test func mixesAreBitIdentical() throws {
    let mix = SourceSpec.mix(
      [
        MixPart(weight: 2, source: try Generated.spec("news-feed", requests: 3000)),
        MixPart(weight: 1, source: try Generated.spec("chat", requests: 1000)),
      ], requests: 10_000, sharedKeys: false)
    let digest = Generated.digest(try allRecords(Generated.source(mix, seed: 42)))
    #expect(digest == 9_917_521_074_144_218_612)
  }
}
