/// The colours of drawings on a dark ground. On a light one they have them as attributes.
enum ChartStyleSheet {
  /// The style sheet of a file of its own.
  static let file =
    "@media(prefers-color-scheme:dark){svg{color:#e6edf3}.ground{fill:#0d1117}"
    + ".g{stroke:#30363d}.a{stroke:#6e7681}.m{fill:#9198a1}.n{fill:#e6edf3}"
    + ChartColour.allCases.map { ".\($0.className){color:\($0.onDark)}" }.joined() + "}"

  /// The same for a page, which has the colours as variables.
  static let page =
    "svg.chart{color:var(--ink)}.chart .g{stroke:var(--grid)}.chart .a{stroke:var(--axis)}"
    + ".chart .m{fill:var(--muted)}.chart .n{fill:var(--ink)}"
    + ChartColour.allCases.map { ".\($0.className){color:var(--\($0.className))}" }.joined()

  /// The variables that `page` uses, on a light ground.
  static let lightVariables = ChartColour.allCases.map { "--\($0.className):\($0.onLight);" }
    .joined()

  /// The variables that `page` uses, on a dark ground.
  static let darkVariables = ChartColour.allCases.map { "--\($0.className):\($0.onDark);" }
    .joined()
}
