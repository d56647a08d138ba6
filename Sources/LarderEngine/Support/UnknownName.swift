/// Messages for names that nothing has.
package enum UnknownName {
  package static func message(
    _ kind: String, _ name: String, among known: [String], _ list: String? = "known are"
  ) -> String {
    "unknown \(kind) '\(name)'\(hint(name, among: known, list))"
  }

  package static func hint(
    _ name: some StringProtocol, among known: [String], _ list: String? = "known are"
  ) -> String {
    if let near = name.nearest(among: known) { return "; did you mean '\(near)'?" }
    guard let list, !known.isEmpty else { return "" }
    return "; \(list) \(known.joined(separator: ", "))"
  }
}
