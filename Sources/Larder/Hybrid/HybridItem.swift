import LarderEngine

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What one operation of a hybrid cache is about: a key, and what is to be stored under it.
struct HybridItem<Key: DiskKeyRepresentable, Value: Sendable> {
  let key: Key
  /// The key as disk has it; empty where there is no disk.
  let diskKey: String
  /// The time of the operation, microseconds.
  let now: UInt64
  /// What is to be stored; nil in a get.
  var value: Value?
  /// The same encoded, where that is already needed.
  var data: Data?
  var options = DiskStoreOptions()
  /// Whether a get wants a copy on disk that has expired.
  var handsOutExpired = false

  /// When it is to expire, where a tier lets it live for `limit` at most.
  func expiry(limit: Duration?) -> UInt64 {
    if options.isPermanent { return Request.noExpiry }
    var life = options.timeToLive?.microseconds
    if let limit { life = min(life ?? .max, max(1, limit.microseconds)) }
    guard let life else { return Request.noExpiry }
    let (expiry, overflows) = now.addingReportingOverflow(life)
    return overflows ? Request.noExpiry : expiry
  }
}
