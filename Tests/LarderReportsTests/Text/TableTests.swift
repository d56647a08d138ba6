import Testing

@testable import LarderReports

/// Splitting of wide tables.
struct TableTests {
  private func table(columns: Int) -> Table {
    Table(
      ["lru"],
      [.init("policy") { .text($0) }]
        + (1...columns).map { number in .init("\(number)%") { _ in .text("\(number)") } })
  }

  @Test func aNarrowTableStaysWhole() {
    let parts = table(columns: 12).parts
    #expect(parts.count == 1)
    #expect(parts[0].titles.count == 13)
  }

  @Test(arguments: [13, 20, 24, 25, 99]) func aWideTableIsSplitEvenly(_ columns: Int) {
    let whole = table(columns: columns)
    let parts = whole.parts
    #expect(parts.count == (columns + 11) / 12)
    #expect(parts.allSatisfy { $0.titles.count <= 13 && $0.titles[0] == "policy" })
    #expect(parts.flatMap { $0.titles.dropFirst() } == Array(whole.titles.dropFirst()))
    #expect(parts.flatMap { $0.rows[0].dropFirst() } == Array(whole.rows[0].dropFirst()))
    #expect(parts.allSatisfy { $0.rows[0][0] == "lru" && $0.rows[0].count == $0.titles.count })
    let widths = parts.map(\.titles.count)
    #expect((widths.max() ?? 0) - (widths.min() ?? 0) <= 1)
  }
}
