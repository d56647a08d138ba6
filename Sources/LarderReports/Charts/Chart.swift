/// A drawing with words: a title, a caption that says what to see, and a description for whoever
/// does not see it.
package protocol Chart: Sendable {
  /// What is shown.
  var title: String { get }

  /// What there is to see, in a sentence or two.
  var caption: String { get }

  /// The drawing. Linear in the values. The same chart gives the same bytes.
  func svg(_ options: ChartOptions) -> String
}

extension Chart {
  /// The drawing as a file of its own, which is light or dark as the reader's screen is.
  package func svg() -> String { svg(ChartOptions()) }
}

/// How a chart is drawn.
package struct ChartOptions: Sendable, Hashable {
  /// Width, pixels.
  package var width: Double
  /// The prefix of the identifiers in the drawing; unique in a page.
  package var id: String
  /// True for a file of its own, with its style and its title in it; false for a part of a page.
  package var isFile: Bool

  /// Options; see the properties for the meaning of each part.
  package init(width: Double = 760, id: String = "chart", isFile: Bool = true) {
    self.width = width
    self.id = id
    self.isFile = isFile
  }

  /// True where there is no room beside a drawing.
  var isNarrow: Bool { width < 500 }
}
