import LarderReports

/// Commands to be pasted into a shell.
enum ShellText {
  /// The words joined by spaces, in quotes where they need them.
  static func command(_ words: [String]) -> String {
    words.map(ShellWord.quoted).joined(separator: " ")
  }

  /// `larder check` of a workload against a baseline; both are paths.
  static func check(_ workload: String, baseline: String) -> String {
    "\(command([LarderProgram.name, "check"])) \(ShellWord.path(workload)) --baseline "
      + ShellWord.path(baseline)
  }
}
