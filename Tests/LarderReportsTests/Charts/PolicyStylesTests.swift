import LarderEngine
import Testing

@testable import LarderReports

struct PolicyStylesTests {
  /// By marker and colour, without the line.
  @Test func everyPolicyWithASlotLooksDifferent() {
    let looks = PolicyStyles.order.map { name in
      let style = PolicyStyles.style(name)
      return [style.colour.rawValue, style.marker.rawValue, style.isOpen ? 1 : 0]
    }
    #expect(Set(looks).count == looks.count)
  }

  /// These styles are in published reports and must not change.
  @Test(arguments: [
    ("lru", SeriesStyle(colour: .blue, marker: .circle)),
    ("fifo", SeriesStyle(colour: .orange, marker: .square)),
    ("s3-fifo", SeriesStyle(colour: .green, marker: .triangle)),
    ("lfu", SeriesStyle(colour: .blue, marker: .square, isOpen: true)),
    ("lfuda", SeriesStyle(colour: .yellow, marker: .square, isOpen: true)),
    ("belady", SeriesStyle(colour: .neutral, marker: .diamond, dash: .long)),
    ("pfoo-l", SeriesStyle(colour: .neutral, marker: .plus, dash: .dots)),
    ("no-policy", SeriesStyle(colour: .green, marker: .circle)),
    ("日本語", SeriesStyle(colour: .blue, marker: .diamond, isOpen: true)),
  ])
  func stylesAreStable(_ name: String, _ style: SeriesStyle) {
    #expect(PolicyStyles.style(name) == style)
  }

  @Test func variantsDifferInTheLineOnly() {
    let variants = ["s3-fifo", "s3-fifo:small=0.2", "s3-fifo:small=0.3", "s3-fifo:ghost=0.5"]
    let styles = PolicyStyles(variants)
    #expect(Set(variants.map { styles[$0].colour }) == [.green])
    #expect(Set(variants.map { styles[$0].marker }) == [.triangle])
    #expect(Set(variants.map { styles[$0].dash }).count == variants.count)
    #expect(styles["s3-fifo"].dash == .solid)
  }

  @Test func hybridHasTheStyleOfItsDiskPolicy() {
    #expect(PolicyStyles.style("lru+s3-fifo") == PolicyStyles.style("s3-fifo"))
    #expect(PolicyStyles.style("lru+belady").colour == .neutral)
    let styles = PolicyStyles(["lru+sieve", "arc+sieve", "fifo+sieve"])
    #expect(styles["arc+sieve"].colour == styles["lru+sieve"].colour)
    #expect(styles["arc+sieve"].dash != styles["lru+sieve"].dash)
    #expect(styles["fifo+sieve"].dash != styles["lru+sieve"].dash)
  }

  @Test func unknownNamesDoNotChangeOtherStyles() {
    for name in HostileText.examples {
      #expect(PolicyStyles([name, "lru"])["lru"] == PolicyStyles.style("lru"))
    }
  }

  /// By WCAG 2.2, essential graphics need a contrast of 3 : 1 with the background.
  @Test(arguments: ChartColour.allCases)
  func coloursHaveContrast(_ colour: ChartColour) throws {
    let light = try #require(Luminance.of(colour.onLight))
    let dark = try #require(Luminance.of(colour.onDark))
    #expect((1 + 0.05) / (light + 0.05) >= 3)
    let ground = try #require(Luminance.of("#0d1117"))
    #expect((dark + 0.05) / (ground + 0.05) >= 3)
  }
}
