extension StringProtocol {
  /// Returns the candidate with the smallest edit distance, if that is small enough for a typing
  /// error: at most a third of the letters, and at least one. O(product of the lengths).
  public func nearest(among candidates: some Sequence<String>) -> String? {
    var best: (name: String, distance: Int)?
    for candidate in candidates {
      let distance = editDistance(to: candidate)
      if distance <= Swift.max(1, candidate.count / 3), distance < (best?.distance ?? .max) {
        best = (candidate, distance)
      }
    }
    return best?.name
  }

  private func editDistance(to other: String) -> Int {
    let (left, right) = (Array(self), Array(other))
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for i in 0..<left.count {
      var current = [i + 1]
      for j in 0..<right.count {
        let substitution = last[j] + (left[i] == right[j] ? 0 : 1)
        var cost = Swift.min(substitution, last[j + 1] + 1, current[j] + 1)
        if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
          cost = Swift.min(cost, beforeLast[j - 1] + 1)
        }
        current.append(cost)
      }
      beforeLast = last
      last = current
    }
    return last[right.count]
  }
}
