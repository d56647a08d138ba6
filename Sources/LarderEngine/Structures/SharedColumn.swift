public import Synchronization

/// A word for each object, by id, that hits of other threads may change meanwhile: every access is
/// atomic, and in no order with others.
///
/// What a policy answers to `hitWords` with. Otherwise as `Column`.
public struct SharedColumn: ~Copyable {
  @usableFromInline var words: Column<UInt32>

  /// Zeroes for ids 0 to `objects`.
  public init(objects: Int) { words = Column(objects: objects) }

  /// The word of `id`. O(1).
  @inlinable
  public subscript(id: ObjectID) -> UInt32 {
    @inline(__always)
    get { words.loadShared(id) }
    @inline(__always)
    nonmutating set { words.storeShared(id, newValue) }
  }

  /// Makes ids up to `objects` valid; words stay. Nobody else may use them meanwhile, and
  /// `hitWords` must be asked for again. O(`objects`).
  public mutating func reserve(objects: Int) { words.reserve(objects: objects) }

  /// Brings the word's cache line near.
  @inlinable
  @inline(__always)
  public func prefetch(_ id: ObjectID) { words.prefetch(id) }

  /// Memory held, in bytes.
  public var bytes: Int { words.bytes }

  /// The largest id that has a word.
  public var objects: Int { words.objects }

  /// The word of id 0; valid until `reserve`.
  @inlinable
  public var base: UnsafeMutablePointer<Atomic<UInt32>> { words.sharedBase }
}
