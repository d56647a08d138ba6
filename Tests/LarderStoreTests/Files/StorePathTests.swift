import Testing

@testable import LarderExperiments

struct StorePathTests {
  @Test func optionOverridesVariable() {
    let environment = ["LARDER_STORE": "/b"]
    #expect(StorePath.named(option: "/a", environment: environment) == "/a")
    #expect(StorePath.named(option: nil, environment: environment) == "/b")
    #expect(StorePath.named(option: nil, environment: ["LARDER_STORE": ""]) == nil)
    #expect(StorePath.named(option: nil, environment: [:]) == nil)
  }

  @Test func defaultIsTheUsersCacheFolder() throws {
    #if !os(macOS)
      let both = ["HOME": "/home/a", "XDG_CACHE_HOME": "/cache"]
      #expect(try StorePath.standard(environment: both) == "/cache/larder")
      let relative = ["HOME": "/home/a", "XDG_CACHE_HOME": "cache"]
      #expect(try StorePath.standard(environment: relative) == "/home/a/.cache/larder")
    #endif
    #expect(throws: StoreError.noCacheFolder) { try StorePath.standard(environment: [:]) }
  }
}
