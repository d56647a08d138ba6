#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a hybrid cache keeps in memory under a key.
@usableFromInline
struct HybridHeld<Value: Sendable>: Sendable {
  /// Nil where every read is to have a value of its own: the bytes are in `facts`.
  @usableFromInline let value: Value?
  /// When it was stored, microseconds.
  @usableFromInline let created: UInt64
  /// When it expires, as disk has it where there is one; memory may give it up before.
  @usableFromInline let expires: UInt64
  /// What few entries have; nil otherwise, so that they take no memory and no counting.
  @usableFromInline let facts: HybridFacts?
}

/// What few entries in memory have.
@usableFromInline
final class HybridFacts: Sendable {
  let version: String?
  let contentType: String?
  let isPermanent: Bool
  let cost: Float
  /// The encoded value, where the value itself is not kept.
  let data: Data?

  init?(
    version: String?, contentType: String?, isPermanent: Bool, cost: Float, data: Data?
  ) {
    if version == nil, contentType == nil, !isPermanent, cost == 1, data == nil { return nil }
    self.version = version
    self.contentType = contentType
    self.isPermanent = isPermanent
    self.cost = cost
    self.data = data
  }
}
