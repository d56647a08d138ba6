import LarderSupport

/// Comma-separated values by RFC 4180, with lines that end in a single line feed, which tools of
/// Linux and macOS expect and every spreadsheet accepts.
///
/// Text that a spreadsheet would take for a formula (beginning with `=`, `+`, `-`, `@`, a tab or a
/// carriage return) gets a leading apostrophe: names of traces are untrusted, and opening a results
/// file must not run anything. Text also stays on its line and has no control characters, because
/// terminals show CSV and scripts split it by line. Numbers are never changed.
package enum CSVText {
  package static func field(_ text: String) -> String {
    // The guard checks the original text: a spreadsheet may skip the space that replaced a line
    // break.
    let guarded = (beginsLikeFormula(text) ? "'" : "") + TextSafety.singleLine(text)
    // By scalar: a quote and a following accent are one Character.
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

  package static func line(_ fields: [String]) -> String {
    fields.joined(separator: ",") + "\n"
  }

  private static func beginsLikeFormula(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first else { return false }
    return "=+-@\t\r".unicodeScalars.contains(first)
  }
}

/// A column of a CSV file: its name and the value of a row. Header and rows are made from one list
/// of columns, so they always agree.
struct CSVColumn<Row>: Sendable {
  let name: String
  let field: @Sendable (Row) -> String

  static func text(_ name: String, _ value: @escaping @Sendable (Row) -> String) -> CSVColumn {
    CSVColumn(name: name) { CSVText.field(value($0)) }
  }

  static func whole(_ name: String, _ value: @escaping @Sendable (Row) -> UInt64?) -> CSVColumn {
    CSVColumn(name: name) { value($0).map { String($0) } ?? "" }
  }

  static func decimal(
    _ name: String, _ decimals: Int, _ value: @escaping @Sendable (Row) -> Double?
  ) -> CSVColumn {
    CSVColumn(name: name) { row in
      value(row).flatMap { NumberText.fixed($0, decimals: decimals) } ?? ""
    }
  }

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
  static func header(_ columns: [CSVColumn]) -> String {
    CSVText.line(columns.map(\.name))
  }

  static func line(_ columns: [CSVColumn], _ row: Row) -> String {
    CSVText.line(columns.map { $0.field(row) })
  }
}
