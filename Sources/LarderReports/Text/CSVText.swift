import LarderSupport

/// Comma-separated values as RFC 4180 has them, with lines that end in a single line feed, which
/// is what the tools of Linux and macOS expect and every spreadsheet accepts.
///
/// Text that a spreadsheet would take for a formula (beginning with `=`, `+`, `-`, `@`, a tab or a
/// carriage return) gets a leading apostrophe: a trace may be named by whoever made it, and opening
/// a results file must not run anything. For the same reason text stays on its line and has no
/// control characters: CSV is shown by terminals and split by line in scripts. Numbers are never
/// changed.
package enum CSVText {
  /// One field of text: made safe as by `TextSafety`, guarded, and quoted where it must be.
  package static func field(_ text: String) -> String {
    // The guard looks at what was there: a spreadsheet may pass over the space for a line break.
    let guarded = (beginsLikeFormula(text) ? "'" : "") + TextSafety.singleLine(text)
    // By scalar: a quote and the accent behind it are one Character.
    let needsQuotes = guarded.unicodeScalars.contains { $0 == "," || $0 == "\"" }
    guard needsQuotes else { return guarded }
    var quoted = String.UnicodeScalarView("\"".unicodeScalars)
    for scalar in guarded.unicodeScalars {
      if scalar == "\"" { quoted.append(scalar) }
      quoted.append(scalar)
    }
    quoted.append("\"")
    return String(quoted)
  }

  /// A whole line of fields that are already in their final form.
  package static func line(_ fields: [String]) -> String {
    fields.joined(separator: ",") + "\n"
  }

  private static func beginsLikeFormula(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first else { return false }
    return "=+-@\t\r".unicodeScalars.contains(first)
  }
}

/// A column of a CSV file: its name, and how a row gives its value. Header and rows are both made
/// from a list of these, so they cannot drift apart.
struct CSVColumn<Row>: Sendable {
  /// The name in the header.
  let name: String
  /// The field of a row in its final form; empty when there is no value.
  let field: @Sendable (Row) -> String

  /// A column of text.
  static func text(_ name: String, _ value: @escaping @Sendable (Row) -> String) -> CSVColumn {
    CSVColumn(name: name) { CSVText.field(value($0)) }
  }

  /// A column of whole numbers. A missing number is empty, never 0.
  static func whole(_ name: String, _ value: @escaping @Sendable (Row) -> UInt64?) -> CSVColumn {
    CSVColumn(name: name) { value($0).map { String($0) } ?? "" }
  }

  /// A column of numbers with a fixed number of decimals. A missing or infinite one is empty.
  static func decimal(
    _ name: String, _ decimals: Int, _ value: @escaping @Sendable (Row) -> Double?
  ) -> CSVColumn {
    CSVColumn(name: name) { row in
      value(row).flatMap { NumberText.fixed($0, decimals: decimals) } ?? ""
    }
  }

  /// A column of ratios of whole numbers, computed exactly. Empty when there is nothing to divide.
  static func ratio(
    _ name: String, _ decimals: Int,
    _ value: @escaping @Sendable (Row) -> (part: UInt64, whole: UInt64)?
  ) -> CSVColumn {
    CSVColumn(name: name) { row in
      value(row).flatMap { NumberText.ratio($0.part, of: $0.whole, decimals: decimals) } ?? ""
    }
  }
}

extension CSVColumn {
  /// The header line.
  static func header(_ columns: [CSVColumn]) -> String {
    CSVText.line(columns.map(\.name))
  }

  /// The line of one row.
  static func line(_ columns: [CSVColumn], _ row: Row) -> String {
    CSVText.line(columns.map { $0.field(row) })
  }
}
