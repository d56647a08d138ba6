import FuzzTargets
import Testing

@Suite struct NumberMutationTests {
  @Test func numbersAreFound() {
    let text = Array("a=1 -20,3.5.x 7".utf8)
    let found = NumberMutation.places(in: text).map { String(decoding: text[$0], as: UTF8.self) }
    #expect(found == ["1", "-20", "3.5", "7"])
    #expect(NumberMutation.places(in: []).isEmpty)
  }

  @Test func numbersAreReplaced() {
    let text = Array("px=15;".utf8)
    var seen: Set<String> = []
    for seed in 0..<256 {
      let changed = NumberMutation.mutated(text, seed: UInt32(seed), lengthMax: 100)
      seen.insert(String(decoding: changed ?? [], as: UTF8.self))
    }
    let all = NumberMutation.values.map { "px=\(String(decoding: $0, as: UTF8.self));" }
    #expect(seen == Set(all))
    #expect(NumberMutation.mutated(text, seed: 6, lengthMax: 10) == nil)
  }
}
