/// A design and what it reached.
package struct DesignResult: Sendable, Hashable, Codable {
  /// The policy, as one types it.
  package var policy: String
  /// The admission filter, as one types it; nil for none.
  package var admission: String?
  /// Hit ratio on the scored part.
  package var hitRatio: Double
  /// Bytes hit per byte requested, on the scored part; nil without sizes.
  package var byteHitRatio: Double?
  /// Hit ratio on the part that designs were chosen on.
  package var learnedHitRatio: Double
  /// Hit ratios in the first and the second half of the trace.
  package var halves: [Double]
  /// Hit ratio on the whole trace.
  package var wholeHitRatio: Double
  /// Tokens of prefix hits per token of prompts, on the scored part; nil unless prefixes are
  /// counted.
  package var tokenShare: Double?

  /// The design in words.
  package var name: String { policy + (admission.map { " behind \($0)" } ?? "") }

  /// Of the same design as another result.
  package func isSameDesign(as other: DesignResult) -> Bool {
    policy == other.policy && admission == other.admission
  }
}
