import CLarderShims
public import Synchronization

/// One value for each object, by id: zero until written, and owned by whoever holds the column.
///
/// Indexing happens once per request or more often and is checked in debug builds alone: ids come
/// from a driver that has promised their range with `reserve(objects:)`. The size
/// that a column is made for or grows to is checked in every build. This type, with the other files
/// of this folder, is where all pointers of the engine live.
public struct Column<Element: BitwiseCopyable>: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<Element>
  /// The largest id that has a value.
  public private(set) var objects: Int

  /// The largest id that a column can be made for: ids have 32 bits.
  @inlinable
  public static var objectsMax: Int { Int(ObjectID.max) }

  /// Zeroes for ids 0 to `objects`, which is at most `objectsMax`.
  public init(objects: Int) {
    Column.check(objects)
    self.objects = objects
    base = Column.allocate(objects + 1)
  }

  deinit { LargeMemory.deallocate(base) }

  /// The value of `id`. O(1).
  @inlinable
  public subscript(id: ObjectID) -> Element {
    @inline(__always)
    get {
      assert(Int(id) <= objects)
      return base[Int(id)]
    }
    @inline(__always)
    nonmutating _modify {
      assert(Int(id) <= objects)
      yield &base[Int(id)]
    }
  }

  /// Makes ids up to `objects` valid, adding a quarter at least; values stay. O(`objects`).
  public mutating func reserve(objects wanted: Int) {
    guard wanted > objects else { return }
    Column.check(wanted)
    // A caller that grows in steps of a quarter at least knows what it wants.
    let isLarge = wanted - objects >= objects / 4
    let grown = isLarge ? wanted : min(objects * 2, Column.objectsMax)
    let larger = Column.allocate(grown + 1)
    larger.initialize(from: base, count: objects + 1)
    LargeMemory.deallocate(base)
    base = larger
    objects = grown
  }

  /// Brings the value's cache line near.
  @inlinable
  @inline(__always)
  public func prefetch(_ id: ObjectID) {
    larder_prefetch(base + Int(id))
  }

  /// A copyable view, valid as long as the column lives and is not grown.
  @inlinable
  public var view: UnsafePointer<Element> { UnsafePointer(base) }

  /// The values of `count` ids from `first` on, in a row; valid as long as `view`.
  @inlinable
  @inline(__always)
  public func row(from first: ObjectID, count: Int) -> UnsafeMutablePointer<Element> {
    assert(count >= 0 && Int(first) + count <= objects + 1, "the row ends behind the column")
    return base + Int(first)
  }

  /// Memory held, in bytes.
  public var bytes: Int { (objects + 1) * MemoryLayout<Element>.stride }

  private static func allocate(_ count: Int) -> UnsafeMutablePointer<Element> {
    let (bytes, isTooMuch) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
    precondition(
      !isTooMuch && bytes <= Int.max - (4 << 20), "out of address space: \(count) objects")
    // Whole huge pages, whatever they add: a column is read in no order to its end.
    let room = bytes < 2 << 20 ? bytes : LargeMemory.rounded(bytes, adding: 1)
    let memory = LargeMemory.allocate(bytes: room)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    return memory.bindMemory(to: Element.self, capacity: count)
  }

  private static func check(_ objects: Int) {
    precondition(
      objects >= 0 && objects <= objectsMax,
      "a column for \(objects) objects: expected 0 to \(objectsMax)")
  }
}

/// Access by threads of which others read and write the same values.
extension Column where Element == UInt32 {
  /// The value of `id`, read atomically and in no order with others. O(1).
  @inlinable
  @inline(__always)
  func loadShared(_ id: ObjectID) -> UInt32 { shared(id).pointee.load(ordering: .relaxed) }

  /// Stores the value of `id` atomically and in no order with others. O(1).
  @inlinable
  @inline(__always)
  func storeShared(_ id: ObjectID, _ value: UInt32) {
    shared(id).pointee.store(value, ordering: .relaxed)
  }

  /// The value of id 0; valid until the column grows.
  @inlinable
  var sharedBase: UnsafeMutablePointer<Atomic<UInt32>> {
    // An atomic word is in memory what the word is.
    UnsafeMutableRawPointer(base).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  @inlinable
  @inline(__always)
  func shared(_ id: ObjectID) -> UnsafeMutablePointer<Atomic<UInt32>> {
    assert(Int(id) <= objects)
    return sharedBase + Int(id)
  }
}

/// The same for times.
extension Column where Element == UInt64 {
  /// Stores the value of `id` atomically and in no order with others. O(1).
  @inlinable
  @inline(__always)
  func storeShared(_ id: ObjectID, _ value: UInt64) {
    assert(Int(id) <= objects)
    sharedBase[Int(id)].store(value, ordering: .relaxed)
  }

  /// The value of id 0; valid until the column grows.
  @inlinable
  var sharedBase: UnsafeMutablePointer<Atomic<UInt64>> {
    UnsafeMutableRawPointer(base).assumingMemoryBound(to: Atomic<UInt64>.self)
  }
}

/// The stored sizes in a column, as a policy sees them.
@usableFromInline
struct ColumnSizes: ObjectSizes {
  @usableFromInline let base: UnsafePointer<UInt32>
  #if DEBUG
    @usableFromInline let objects: Int
  #endif

  /// A view of `column`, valid until it grows.
  @inlinable
  @inline(__always)
  init(_ column: borrowing Column<UInt32>) {
    base = column.view
    #if DEBUG
      objects = column.objects
    #endif
  }

  @inlinable
  @inline(__always)
  subscript(id: ObjectID) -> UInt32 {
    #if DEBUG
      assert(Int(id) <= objects)
    #endif
    return base[Int(id)]
  }
}
