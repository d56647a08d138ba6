/// The colours of drawings on a dark ground. On a light one they have them as attributes.
enum ChartStyleSheet {
  /// The style sheet of a file of its own.
  static let file =
    "@media(prefers-color-scheme:dark){svg{color:#e6edf3}.ground{fill:#0d1117}"
    + ".g{stroke:#30363d}.a{stroke:#6e7681}.m{fill:#9198a1}.n{fill:#e6edf3}.o{fill:#0d1117}"
    + ChartColour.allCases.map { ".\($0.className){color:\($0.onDark)}" }.joined() + "}"

  /// The same for a page, which has the colours as variables.
  static let page =
    "svg.chart{color:var(--ink)}svg .g,svg .a,svg .l,svg .b,svg .w{fill:none}"
    + "svg .l,svg .b,svg .w{stroke:currentColor;stroke-width:1.5}"
    + "svg .l{stroke-width:2;stroke-linejoin:round}svg .w{stroke-opacity:.55}"
    + "svg .g{stroke:var(--grid)}svg .a{stroke:var(--axis)}svg .h{font-weight:600}"
    + "svg .m{fill:var(--muted)}svg .n{fill:var(--ink)}svg .k,svg .s,svg .s2,"
    + "svg .s3{fill:currentColor}"
    + "svg .o{fill:var(--ground);stroke:currentColor;stroke-width:1.7}svg .s2{fill-opacity:.4}"
    + "svg .s3{fill-opacity:.12}"
    + ChartColour.allCases.map { ".\($0.className){color:var(--\($0.className))}" }.joined()

  /// The variables that `page` uses, on a light ground.
  static let lightVariables = ChartColour.allCases.map { "--\($0.className):\($0.onLight);" }
    .joined()

  /// The variables that `page` uses, on a dark ground.
  static let darkVariables = ChartColour.allCases.map { "--\($0.className):\($0.onDark);" }
    .joined()
}
