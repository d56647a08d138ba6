/// The full sizes of one version of an object, from its last answer back: chooses the last one that
/// is no answer that was cut off.
///
/// An answer that is smaller than most full answers of the version is taken for one that was cut
/// off. Up to four different sizes are candidates, which bounds the memory; where there are more,
/// the smallest makes room if it is smaller than most.
struct FullSizes: BitwiseCopyable {
  /// A size, its answers, and the answers that are larger.
  private struct Candidate: BitwiseCopyable {
    var size: UInt32 = 0
    var count: UInt32 = 0
    var larger: UInt32 = 0
  }

  private static let limit = 4

  /// The first `known` are in use, last answer first.
  private var candidates = (Candidate(), Candidate(), Candidate(), Candidate())
  private var known: UInt32 = 0
  private var answers: UInt32 = 0

  /// Adds answers of one size, which are earlier than all others.
  mutating func add(_ size: UInt32, count: UInt32 = 1) {
    answers &+= count
    let (known, answers) = (Int(known), answers)
    let isNew = withCandidates { candidates in
      var new = Candidate(size: size, count: count)
      var isKnown = false
      for index in 0..<known {
        if candidates[index].size < size { candidates[index].larger &+= count }
        if candidates[index].size > size { new.larger &+= candidates[index].count }
        if candidates[index].size == size {
          candidates[index].count &+= count
          isKnown = true
        }
      }
      if isKnown { return false }
      if known < FullSizes.limit {
        candidates[known] = new
        return true
      }
      guard let smallest = (0..<known).min(by: { candidates[$0].size < candidates[$1].size }),
        FullSizes.isCutOff(candidates[smallest], of: answers), candidates[smallest].size < size
      else { return false }
      for index in smallest..<(known - 1) { candidates[index] = candidates[index + 1] }
      candidates[known - 1] = new
      return false
    }
    if isNew { self.known += 1 }
  }

  /// The last size that is not smaller than most, or else the largest candidate; 0 where
  /// there is none.
  var size: UInt32 {
    var copy = self
    let (known, answers) = (Int(known), answers)
    return copy.withCandidates { candidates in
      let list = candidates[..<known]
      return (list.first { !FullSizes.isCutOff($0, of: answers) }?.size)
        ?? list.map(\.size).max() ?? 0
    }
  }

  private static func isCutOff(_ candidate: Candidate, of answers: UInt32) -> Bool {
    UInt64(candidate.larger) * 2 > UInt64(answers)
  }

  private mutating func withCandidates<Result>(
    _ body: (UnsafeMutableBufferPointer<Candidate>) -> Result
  ) -> Result {
    withUnsafeMutableBytes(of: &candidates) { bytes in
      body(bytes.assumingMemoryBound(to: Candidate.self))
    }
  }
}
