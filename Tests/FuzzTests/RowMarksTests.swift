import Larder
import Testing

@testable import FuzzTargets

/// The target of edited rows writes the checksums of the cache. Otherwise every cache it opens
/// would be damaged, and the code after the check would not be tested.
@Suite struct RowMarksTests {
  @Test func rowsThatWereNotEditedKeepTheirMarks() throws {
    #expect(DiskSample.plain.count == 6)
    for (number, sample) in DiskSample.plain.enumerated() {
      let sample = try sample.get()
      let name = "marks-\(number)"
      defer { FuzzScratch.remove(name) }
      let path = FuzzScratch.path(name)
      try DiskSample.write(sample.files, to: path)
      var choices = FuzzInput([])
      try RowEditor.edit("\(path)/index.sqlite", times: 0, &choices)
      let cache = try BlockingDiskCache(
        path: path, configuration: sample.configuration, clock: FuzzClock(DiskSample.now))
      #expect(cache.damage == nil)
      for (key, value) in DiskSample.values { #expect(try cache.value(for: key) == value) }
      if sample.configuration.durability != .none {
        for (codec, number) in [(DiskCodec<Int>.json, 17), (.propertyList, nil)] {
          #expect(
            try cache.value(for: "number", suite: DiskSample.suite, codec: codec) == number)
        }
      }
      try cache.close()
    }
  }
}
