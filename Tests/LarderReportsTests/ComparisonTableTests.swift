import LarderReports
import Testing

struct ComparisonTableTests {
  @Test func colourOnlyIfRequested() {
    let plain = ComparisonTable.text(of: SampleResults.full)
    let coloured = ComparisonTable.text(of: SampleResults.full, colour: true)
    #expect(!plain.contains("\u{1B}"))
    #expect(coloured.contains("\u{1B}[1;32m*48.04*\u{1B}[0m"))
    let bare = coloured.replacing("\u{1B}[1;32m", with: "").replacing("\u{1B}[0m", with: "")
    #expect(bare == plain)
  }

  @Test func namesCannotControlTheTerminal() {
    for name in HostileText.examples {
      var results = SampleResults.empty()
      for (policy, hits) in [(name, UInt64(2000)), ("fifo", 1000)] {
        results.records.append(
          SampleResults.record(
            SampleResults.cell(policy, capacity: 10, configuration: name), hits: hits))
      }
      let text = ComparisonTable.text(of: results)
      #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 || $0 == "\t" })
      // A title, the header, a line for each policy, and two lines of recommendation.
      #expect(text.split(separator: "\n").count == 6, "\(text)")
    }
  }
}
