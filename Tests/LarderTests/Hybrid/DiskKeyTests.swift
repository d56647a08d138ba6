import Foundation
import Testing

@testable import Larder

/// Equal keys are equal on disk, and different ones differ.
@Suite struct DiskKeyTests {
  @Test func equalTextsAreOneKey() throws {
    let folder = try ScratchFolder()
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
    #expect(composed == decomposed)
    #expect(Array(composed.diskKey.utf8) == Array(decomposed.diskKey.utf8))
    let cache = try HybridCache<String, Int>(
      path: folder.path, configuration: HybridTestCaches.configuration(memory: 1))
    try cache.set(1, for: composed)
    try cache.set(2, for: decomposed)
    #expect(cache.diskCount == 1)
    cache.handle(.critical)
    #expect(try cache.entry(for: composed)?.value == 2)
  }

  @Test func otherKeys() throws {
    #expect(Int8(-7).diskKey == "-7")
    #expect(UInt64.max.diskKey == "18446744073709551615")
    let id = UUID()
    #expect(UUID(uuidString: id.diskKey) == id)
    let whole = try #require(URL(string: "https://example.org/a?b=c"))
    #expect(whole.diskKey == "https://example.org/a?b=c")
    let base = try #require(URL(string: "https://example.org/"))
    let relative = try #require(URL(string: "a?b=c", relativeTo: base))
    #expect(relative != whole)
    #expect(relative.diskKey != whole.diskKey)
  }

  @Test func spellingsOfATextAreOneKeyEverywhere() throws {
    let folder = try ScratchFolder()
    let disk = try BlockingDiskCache(path: folder.path)
    let suite = DiskSuite(disk, name: "s", codec: .text, of: String.self)
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
    for (stored, asked) in [(composed, decomposed), (decomposed, composed)] {
      var configuration = HybridCacheConfiguration()
      configuration.suite = "s"
      let hybrid = try HybridCache<String, String>(
        configuration: configuration, disk: DiskCache(disk))
      try hybrid.set("x", for: stored)
      #expect(try suite.value(for: asked) == "x")
      #expect(try disk.contains(asked, suite: "s"))
      #expect(try disk.entry(for: asked, suite: "s", acceptingExpired: true) != nil)
      #expect(try disk.renew(asked, suite: "s"))
      #expect(try hybrid.remove(asked))
      #expect(try !disk.contains(stored, suite: "s") && !hybrid.contains(stored))
      try suite.set("y", for: asked)
      #expect(try hybrid.value(for: stored) == "y")
      #expect(try disk.remove(stored, suite: "s"))
      #expect(disk.count == 0)
      try hybrid.close()
    }
    // Bytes in form C are unchanged.
    for key in ["", "../x", "a\0b", "plain", composed, "\u{1F600}", "\u{AC00}"] {
      #expect(Array(key.diskKey.utf8) == Array(key.utf8))
    }
  }
}
