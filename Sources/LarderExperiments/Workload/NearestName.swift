/// Finds what somebody who mistyped a name most likely meant.
enum NearestName {
  /// The candidate nearest to `name`, if one is near enough to be meant: at most a third of the
  /// letters differ. The first of several equally near. Takes the product of the lengths in time.
  static func of(_ name: String, in candidates: some Sequence<String>) -> String? {
    // No known name is as long, and the time is quadratic.
    guard name.utf8.count <= 64 else { return nil }
    let letters = Array(name.lowercased())
    var best: (name: String, distance: Int)?
    for candidate in candidates {
      let other = Array(candidate.lowercased())
      let distance = distance(letters, other)
      let limit = max(1, max(letters.count, other.count) / 3)
      if distance <= limit, distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
  }

  /// Insertions, deletions, replacements and swaps of neighbours that turn one word into the
  /// other (optimal string alignment).
  static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for (row, letter) in left.enumerated() {
      var current = [row + 1]
      for (column, other) in right.enumerated() {
        var best = min(
          last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, letter == right[column - 1], left[row - 1] == other {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
