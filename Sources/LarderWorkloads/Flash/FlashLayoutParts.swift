/// The parameters of a layout as far as they are given.
struct FlashLayoutParts: Sendable, Hashable {
  var region: UInt64?
  var reinsertHits: UInt32?
  var log: Share?
  var threshold: UInt32?

  /// A parameter that is given and that a layout does not have, as files and as options name it.
  func foreign(to word: FlashLayoutWord?) -> (key: String, option: String)? {
    if region != nil, word == nil || word == .sets { return ("region", "region") }
    if reinsertHits != nil, word == nil || word == .sets { return ("reinsert-hits", "reinsert") }
    if log != nil, word != .kangaroo { return ("log", "log") }
    if threshold != nil, word != .kangaroo { return ("threshold", "threshold") }
    return nil
  }

  /// The layout, with defaults for what is not given.
  func layout(_ word: FlashLayoutWord) -> FlashLayout {
    switch word {
    case .log:
      return .log(
        region: region ?? FlashLayout.defaultRegion, reinsertHits: reinsertHits ?? 0)
    case .sets: return .sets
    case .kangaroo:
      var layout = FlashLayout.Kangaroo()
      if let region { layout.region = region }
      if let log { layout.log = log }
      if let threshold { layout.threshold = threshold }
      if let reinsertHits { layout.reinsertHits = reinsertHits }
      return .kangaroo(layout)
    }
  }
}
