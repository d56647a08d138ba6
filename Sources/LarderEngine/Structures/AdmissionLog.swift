/// How much was admitted to a queue after each object: how young an object still is there.
///
/// An admission that is taken back before the next one never was, so that an object that comes and
/// goes at once leaves no trace. All operations are O(1). Memory: 8 bytes an object, unless nothing
/// is kept.
public struct AdmissionLog: ~Copyable {
  @usableFromInline let keeps: Bool
  @usableFromInline var total: UInt64 = 0
  @usableFromInline var latest = ObjectID.none
  @usableFromInline var latestAmount: UInt64 = 0
  // The total right after the object's latest admission.
  @usableFromInline var stamps: Column<UInt64>

  /// Nothing was admitted yet. Unless it `keeps` anything, it must not be asked.
  public init(objects: Int, keeps: Bool) {
    self.keeps = keeps
    stamps = Column(objects: keeps ? objects : 0)
  }

  /// An object is admitted, which counts as so much.
  @inlinable
  @inline(__always)
  public mutating func admit(_ id: ObjectID, _ amount: UInt64) {
    guard keeps else { return }
    total += amount
    stamps[id] = total
    latest = id
    latestAmount = amount
  }

  /// What was admitted after the object was; it itself does not count.
  @inlinable
  @inline(__always)
  public func later(than id: ObjectID) -> UInt64 { total - stamps[id] }

  /// Takes the latest admission back where it was this object's, which is being removed.
  @inlinable
  public mutating func retract(_ id: ObjectID) {
    guard keeps, id == latest, id != .none else { return }
    total -= latestAmount
    latest = .none
  }

  /// Makes ids up to `objects` valid.
  public mutating func reserve(objects: Int) { if keeps { stamps.reserve(objects: objects) } }

  /// Brings the object's stamp near.
  @inlinable
  @inline(__always)
  public func prefetch(_ id: ObjectID) { if keeps { stamps.prefetch(id) } }

  /// Memory held, in bytes.
  public var bytes: Int { keeps ? stamps.bytes : 0 }
}
