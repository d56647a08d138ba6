/// What a lookup does with an entry that it finds expired.
enum DiskExpired {
  /// It is removed.
  case removed
  /// It is handed out and left where it is.
  case handedOut
  /// It is left where it is for as long as it is worth keeping, and removed afterwards; with
  /// `handsOut` it is handed out and left in any case. It counts as an expiration.
  case kept(Grace, handsOut: Bool)

  /// Whether the caller gets the entry.
  var handsOut: Bool {
    switch self {
    case .removed: false
    case .handedOut: true
    case .kept(_, let handsOut): handsOut
    }
  }
}
