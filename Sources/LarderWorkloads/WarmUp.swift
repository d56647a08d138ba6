/// What is replayed before counting begins.
package enum WarmUp: Sendable, Hashable {
  /// Nothing: every request counts.
  case none
  /// The first so many requests, of every operation.
  case requests(UInt64)
  /// The first part of the trace.
  case share(Share)
  /// Everything up to the first eviction; for a hybrid: of the disk tier.
  case untilFull

  /// What is excluded, in words for a report.
  package var description: String {
    switch self {
    case .none: "none: every request counts"
    case .requests(let count): "the first \(count) requests of each cell"
    case .share(let share): "the first \(share) of the requests of each cell"
    case .untilFull: "all requests of each cell up to the first eviction"
    }
  }

  /// How many requests to replay before counting, out of `total`; nil when only the replay itself
  /// can tell.
  package func requests(of total: UInt64) -> UInt64? {
    switch self {
    case .none: 0
    case .requests(let count): min(count, total)
    case .share(let share): share.of(total)
    case .untilFull: nil
    }
  }
}
