import Foundation

/// Where a run's files go when nothing else is said: `Results/<workload>/<date-time>`.
enum RunDirectory {
  /// The folder for a run of `workload` that starts now, local time.
  static func standard(workload: String, now: Date = Date()) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.dateFormat = "yyyy-MM-dd-HHmmss"
    return "Results/\(safe(workload))/\(formatter.string(from: now))"
  }

  /// ISO 8601 with the time zone.
  static func timestamp(_ date: Date = Date()) -> String {
    let formatter = ISO8601DateFormatter()
    formatter.timeZone = .current
    return formatter.string(from: date)
  }

  /// The name without anything that means something in a path.
  private static func safe(_ name: String) -> String {
    let kept = name.map { character in
      character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
        ? character : "-"
    }
    let text = String(kept)
    return text.allSatisfy { $0 == "." } ? "workload" : text
  }
}
