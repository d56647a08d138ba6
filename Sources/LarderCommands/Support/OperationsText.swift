import LarderWorkloads

/// Shares of operations as they are typed: `get=0.95,set=5%`.
enum OperationsText {
  /// The share of each operation that is named. Names, range and sum are the generator's to check.
  ///
  /// - Throws: `UsageError` for what is no name and share, or a name that stands twice.
  static func shares(_ text: String) throws(UsageError) -> [String: Double] {
    var shares: [String: Double] = [:]
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard words.count == 2, let share = share(String(words[1])) else {
        throw UsageError(
          "--operations expects shares such as get=0.95,set=0.05 or get=95%,set=5%, found '\(part)'"
        )
      }
      let name = words[0].lowercased()
      guard shares.updateValue(share, forKey: name) == nil else {
        throw UsageError("--operations names '\(name)' twice; keep one")
      }
    }
    return shares
  }

  private static func share(_ text: String) -> Double? {
    if text == "0%" { return 0 }
    return Share(parsing: text).map { Double($0.billionths) / 1e9 } ?? Double(text)
  }
}
