/// A parser for CSV by RFC 4180, independent of the writer that it checks.
enum CSVReader {
  /// The fields of every record; nil if a quote is misplaced.
  static func records(_ text: String) -> [[String]]? {
    var records: [[String]] = []
    var record: [String] = []
    var field = String.UnicodeScalarView()
    var scalars = Array(text.unicodeScalars)[...]
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\"":
        guard field.isEmpty, let quoted = quoted(&scalars) else { return nil }
        field = quoted
      case ",":
        record.append(String(field))
        field = .init()
      case "\n":
        records.append(record + [String(field)])
        record = []
        field = .init()
      default: field.append(scalar)
      }
    }
    return record.isEmpty && field.isEmpty ? records : nil
  }

  private static func quoted(
    _ scalars: inout ArraySlice<Unicode.Scalar>
  ) -> String.UnicodeScalarView? {
    var field = String.UnicodeScalarView()
    while let scalar = scalars.popFirst() {
      if scalar != "\"" {
        field.append(scalar)
      } else if scalars.first == "\"" {
        field.append("\"")
        scalars.removeFirst()
      } else {
        let next = scalars.first
        return next == nil || next == "," || next == "\n" ? field : nil
      }
    }
    return nil
  }
}
