/// Values side by side, a row each: bars of parts, or marks along a scale.
package struct RowChart: Chart {
  /// What is shown.
  package var title: String
  /// What there is to see.
  package var caption: String
  /// The axis across. Where there are bars it begins at 0.
  package var axis: ChartAxis
  /// The rows, with a heading a group.
  package var groups: [Group]
  /// What the parts of the bars are, in their order; empty where they have one.
  package var parts: [String]

  /// Rows under a heading.
  package struct Group: Sendable {
    /// The heading; empty for none.
    package var title: String
    /// The rows.
    package var rows: [Row]

    /// Rows under a heading.
    package init(title: String = "", rows: [Row]) {
      self.title = title
      self.rows = rows
    }
  }

  /// A row.
  package struct Row: Sendable {
    /// Its name; may come from anywhere.
    package var name: String
    /// The series that it belongs to, with which it comes and goes: a policy.
    package var series: String
    /// How it looks.
    package var style: SeriesStyle
    /// What is drawn.
    package var content: Content
    /// What stands at its end.
    package var value: String

    /// A row; see the properties for the meaning of each part.
    package init(
      name: String, series: String, style: SeriesStyle, content: Content, value: String
    ) {
      self.name = name
      self.series = series
      self.style = style
      self.content = content
      self.value = value
    }
  }

  /// What is drawn in a row.
  package enum Content: Sendable {
    /// A bar of parts behind each other, each as long as its value.
    case bar([Mark])
    /// Marks on a line from the first to the last.
    case marks([Mark])
  }

  /// A value in a row.
  package struct Mark: Sendable, Hashable {
    /// The value.
    package var value: Double
    /// The smallest and largest that were seen; nil where there was one.
    package var range: ClosedRange<Double>?
    /// What is shown of it on demand.
    package var label: String

    /// A value in a row.
    package init(_ value: Double, range: ClosedRange<Double>? = nil, label: String) {
      self.value = value
      self.range = range
      self.label = label
    }
  }

  /// A chart; see the properties for the meaning of each part.
  package init(
    title: String, caption: String, axis: ChartAxis, groups: [Group], parts: [String] = []
  ) {
    self.title = title
    self.caption = caption
    self.axis = axis
    self.groups = groups
    self.parts = parts
  }

  /// The drawing: names stand before the rows where there is room, and above them where not.
  package func svg(_ options: ChartOptions) -> String {
    var drawing = RowDrawing(self, options)
    return drawing.svg()
  }
}
