import Foundation

/// Where a run's files go when nothing else is said: `Results/<workload>/<date-time>`.
enum RunDirectory {
  /// The folder of all runs.
  static let root = "Results"

  /// The folder for a run of `workload` that starts now, in UTC: names are in the
  /// order of time also where clocks are put back.
  static func standard(workload: String, now: Date = Date()) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(secondsFromGMT: 0)
    formatter.dateFormat = "yyyy-MM-dd-HHmmss"
    return "\(root)/\(safe(workload))/\(formatter.string(from: now))"
  }

  /// Makes the folder, or one beside it with a number at its end where it is there already: runs
  /// that start in the same second do not write over each other. What hinders that, whoever writes
  /// into the folder will find out and say.
  static func claim(_ path: String) -> String {
    if let folder = folder(of: path) {
      try? FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
    }
    for number in 1...1000 {
      let candidate = number == 1 ? path : "\(path)-\(number)"
      if mkdir(candidate, 0o777) == 0 { return candidate }
      if errno != EEXIST { break }
    }
    return path
  }

  /// The folders on the way to `path` that are not there yet, the deepest first.
  static func missing(on path: String) -> [String] {
    var missing: [String] = []
    var rest: String? = path
    while let folder = rest, !FileManager.default.fileExists(atPath: folder) {
      missing.append(folder)
      rest = Self.folder(of: folder)
    }
    return missing
  }

  /// What stands before the last name in `path`; nil where there is nothing but the name.
  private static func folder(of path: String) -> String? {
    var rest = path[...]
    while rest.last == "/" { rest.removeLast() }
    guard let slash = rest.lastIndex(of: "/") else { return nil }
    rest = rest[..<slash]
    while rest.last == "/" { rest.removeLast() }
    return rest.isEmpty ? nil : String(rest)
  }

  /// Removes those of the folders that hold nothing, the first first: a request that failed leaves
  /// none behind.
  static func removeEmpty(_ folders: [String]) {
    for folder in folders where rmdir(folder) != 0 { return }
  }

  /// ISO 8601 with the time zone.
  static func timestamp(_ date: Date = Date()) -> String {
    let formatter = ISO8601DateFormatter()
    formatter.timeZone = .current
    return formatter.string(from: date)
  }

  /// The name without anything that means something in a path.
  static func safe(_ name: String) -> String {
    let kept = name.map { character in
      character.isASCII && (character.isLetter || character.isNumber || "-_.".contains(character))
        ? character : "-"
    }
    let text = String(kept)
    return text.allSatisfy { $0 == "." } ? "workload" : text
  }
}
