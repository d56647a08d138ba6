import LarderSupport

/// Comma-separated values by RFC 4180, with lines that end in a single line feed.
///
/// Text that a spreadsheet would take for a formula (beginning with `=`, `+`, `-`, `@`, a tab or a
/// carriage return) gets a leading apostrophe: names of traces are untrusted, and opening a results
/// file must not run anything. Text also stays on its line and has no control characters. Numbers
/// are never changed.
package enum CSVText {
  package static func field(_ text: String) -> String {
    // The guard checks the original text: a spreadsheet may skip the space that replaced a line
    // break.
    let isFormula = text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) }
    let guarded = (isFormula ?? false ? "'" : "") + TextSafety.singleLine(text)
    // By scalar: a quote and a following accent are one Character.
    guard guarded.unicodeScalars.contains(where: { $0 == "," || $0 == "\"" }) else {
      return guarded
    }
    var quoted = String.UnicodeScalarView("\"".unicodeScalars)
    for scalar in guarded.unicodeScalars {
      if scalar == "\"" { quoted.append(scalar) }
      quoted.append(scalar)
    }
    quoted.append("\"")
    return String(quoted)
  }

  package static func line(_ fields: [String]) -> String { fields.joined(separator: ",") + "\n" }

  static func header<Row>(_ columns: [Column<Row>]) -> String { line(columns.map(\.title)) }

  static func lines<Row>(_ rows: some Sequence<Row>, _ columns: [Column<Row>]) -> String {
    rows.reduce(into: "") { text, row in
      text += line(
        columns.map { column in
          let cell = column.cell(row)
          return if case .number(let text) = cell { text } else { field(cell.plain) }
        })
    }
  }
}

/// Columns of CSV. A missing number is empty, never 0.
extension Column {
  static func text(_ title: String, _ value: @escaping (Row) -> String) -> Column {
    Column(title) { .text(value($0)) }
  }

  static func whole(_ title: String, _ value: @escaping (Row) -> UInt64?) -> Column {
    Column(title) { .number(value($0).map { "\($0)" } ?? "") }
  }

  static func decimal(
    _ title: String, _ decimals: Int, _ value: @escaping (Row) -> Double?
  ) -> Column {
    Column(title) { row in
      .number(value(row).flatMap { NumberText.fixed($0, decimals: decimals) } ?? "")
    }
  }

  /// A ratio of whole numbers, computed exactly; empty if the divisor is 0.
  static func ratio(
    _ title: String, _ decimals: Int, _ value: @escaping (Row) -> (part: UInt64, whole: UInt64)?
  ) -> Column {
    Column(title) { row in
      .number(
        value(row).flatMap { NumberText.ratio($0.part, of: $0.whole, decimals: decimals) } ?? "")
    }
  }
}
