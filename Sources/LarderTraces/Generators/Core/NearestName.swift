/// The known name nearest to what was typed: at most a third of the letters differ (two at least).
///
/// Complexity: O(known names x length squared).
func nearestName(to typed: String, in known: [String]) -> String? {
  let limit = max(2, typed.count / 3)
  return known.map { (name: $0, distance: editDistance(typed, $0)) }
    .min { $0.distance < $1.distance }
    .flatMap { $0.distance <= limit ? $0.name : nil }
}

/// Letters to insert, delete or replace to make one name of the other (Levenshtein 1966).
private func editDistance(_ first: String, _ second: String) -> Int {
  let target = Array(second)
  var row = Array(0...target.count)
  for (i, letter) in first.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for (j, other) in target.enumerated() {
      let replaced = diagonal + (letter == other ? 0 : 1)
      diagonal = row[j + 1]
      row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
    }
  }
  return row[target.count]
}
