import LarderEngine
import Testing

@Suite struct ScriptFormatTests {
  private func problem(_ lines: String) throws -> String? {
    do {
      let text = "policy lru\ncapacity 2 objects\n" + lines
      try Script(file: "s", text: text).replay()
      return nil
    } catch let failure as Script.Failure {
      return failure.description
    }
  }

  @Test(arguments: [
    ("get a miss", nil),
    ("get a hit", "s:3: expected hit evicting [], found miss evicting []"),
    ("get a miss\nget b miss\nget c miss", "found miss evicting [\"a\"]"),
    ("get a miss\nholds b", "expected [\"b\"], found [\"a\"]"),
    ("get a miss\nmisses 2", "s:4: expected 2 misses, found 1"),
    ("get a miss\nghosts a", "expected [\"a\"], found []"),
    ("got a", "s:3: unknown 'got'"),
    ("get a size x miss", "s:3: expected a number as word 4"),
  ])
  func wrongLinesFail(lines: String, expected: String?) throws {
    let found = try problem(lines)
    guard let expected else {
      #expect(found == nil)
      return
    }
    #expect(found?.contains(expected) == true, "\(found ?? "nothing")")
  }
}
