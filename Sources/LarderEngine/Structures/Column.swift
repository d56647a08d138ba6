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
  @inlinable public static var objectsMax: Int { Int(ObjectID.max) }

  /// Zeroes for ids 0 to `objects`, which is at most `objectsMax`.
  public init(objects: Int) {
    Column.check(objects)
    self.objects = objects
    base = Column.allocate(objects + 1)
  }

  deinit { LargeMemory.deallocate(base) }

  /// The value of `id`. O(1).
  @inlinable public subscript(id: ObjectID) -> Element {
    @inline(__always) get {
      assert(Int(id) <= objects)
      return base[Int(id)]
    }
    @inline(__always) nonmutating _modify {
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
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) {
    larder_prefetch(base + Int(id))
  }

  /// A copyable view, valid as long as the column lives and is not grown.
  @inlinable public var view: UnsafePointer<Element> { UnsafePointer(base) }

  /// The values of `count` ids from `first` on, in a row; valid as long as `view`.
  @inlinable @inline(__always) public func row(
    from first: ObjectID, count: Int
  ) -> UnsafeMutablePointer<Element> {
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
  @inlinable @inline(__always) func loadShared(_ id: ObjectID) -> UInt32 {
    shared(id).pointee.load(ordering: .relaxed)
  }

  /// Stores the value of `id` atomically and in no order with others. O(1).
  @inlinable @inline(__always) func storeShared(_ id: ObjectID, _ value: UInt32) {
    shared(id).pointee.store(value, ordering: .relaxed)
  }

  /// The value of id 0; valid until the column grows.
  @inlinable var sharedBase: UnsafeMutablePointer<Atomic<UInt32>> {
    // An atomic word is in memory what the word is.
    UnsafeMutableRawPointer(base).assumingMemoryBound(to: Atomic<UInt32>.self)
  }

  @inlinable @inline(__always) func shared(_ id: ObjectID) -> UnsafeMutablePointer<Atomic<UInt32>> {
    assert(Int(id) <= objects)
    return sharedBase + Int(id)
  }
}

/// The same for times.
extension Column where Element == UInt64 {
  /// Stores the value of `id` atomically and in no order with others. O(1).
  @inlinable @inline(__always) func storeShared(_ id: ObjectID, _ value: UInt64) {
    assert(Int(id) <= objects)
    sharedBase[Int(id)].store(value, ordering: .relaxed)
  }

  /// The value of id 0; valid until the column grows.
  @inlinable var sharedBase: UnsafeMutablePointer<Atomic<UInt64>> {
    UnsafeMutableRawPointer(base).assumingMemoryBound(to: Atomic<UInt64>.self)
  }
}

/// The stored sizes in a column, as a policy sees them.
@usableFromInline struct ColumnSizes: ObjectSizes {
  @usableFromInline let base: UnsafePointer<UInt32>
  #if DEBUG
    @usableFromInline let objects: Int
  #endif

  /// A view of `column`, valid until it grows.
  @inlinable @inline(__always) init(_ column: borrowing Column<UInt32>) {
    base = column.view
    #if DEBUG
      objects = column.objects
    #endif
  }

  @inlinable @inline(__always) subscript(id: ObjectID) -> UInt32 {
    #if DEBUG
      assert(Int(id) <= objects)
    #endif
    return base[Int(id)]
  }
}

/// A word for each object, by id, that hits of other threads may change meanwhile: every access is
/// atomic, and in no order with others.
///
/// What a policy answers to `hitWords` with. Otherwise as `Column`.
public struct SharedColumn: ~Copyable {
  @usableFromInline var words: Column<UInt32>

  /// Zeroes for ids 0 to `objects`.
  public init(objects: Int) { words = Column(objects: objects) }

  /// The word of `id`. O(1).
  @inlinable public subscript(id: ObjectID) -> UInt32 {
    @inline(__always) get { words.loadShared(id) }
    @inline(__always) nonmutating set { words.storeShared(id, newValue) }
  }

  /// Makes ids up to `objects` valid; words stay. Nobody else may use them meanwhile, and
  /// `hitWords` must be asked for again. O(`objects`).
  public mutating func reserve(objects: Int) { words.reserve(objects: objects) }

  /// Brings the word's cache line near.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { words.prefetch(id) }

  /// Memory held, in bytes.
  public var bytes: Int { words.bytes }

  /// The largest id that has a word.
  public var objects: Int { words.objects }

  /// The word of id 0; valid until `reserve`.
  @inlinable public var base: UnsafeMutablePointer<Atomic<UInt32>> { words.sharedBase }
}

/// What a hit is to a policy to which it is a change of one word of the object's, such as a mark or
/// a counter: enough to make it without the policy, by any number of threads at once and while
/// another one changes what the policy holds.
///
/// An object is resident when its word is one of `residents`. A hit adds `step` to the word unless
/// the bits of `counter` have come to `highest`. Valid until the policy is asked to `reserve`; the
/// policy itself reads and writes the words atomically, too.
@frozen public struct HitWords {
  @usableFromInline let words: UnsafeMutablePointer<Atomic<UInt32>>
  @usableFromInline let first: UInt32
  @usableFromInline let span: UInt32
  @usableFromInline let counter: UInt32
  @usableFromInline let highest: UInt32
  @usableFromInline let step: UInt32
  #if DEBUG
    @usableFromInline let objects: Int
  #endif

  /// Hits that change nothing, or what `counter`, `highest` and `step` say, of objects whose words
  /// begin with that of id 0 at `words` and end with that of id `objects`, which debug builds
  /// check.
  public init(
    _ words: UnsafeMutablePointer<Atomic<UInt32>>, objects: Int, residents: ClosedRange<UInt32>,
    counter: UInt32 = 0, highest: UInt32 = 0, step: UInt32 = 0
  ) {
    self.words = words
    #if DEBUG
      self.objects = objects
    #endif
    first = residents.lowerBound
    span = residents.upperBound - residents.lowerBound
    self.counter = counter
    self.highest = highest
    self.step = step
  }

  /// Makes a hit and says whether the object is resident. O(1).
  @inlinable @inline(__always) public func hit(_ id: ObjectID) -> Bool {
    let word = word(id)
    return isResident(word) && count(id, word)
  }

  /// The word of an object. O(1).
  @inlinable @inline(__always) public func word(_ id: ObjectID) -> UInt32 {
    #if DEBUG
      assert(Int(id) <= objects, "a hit of an id that the policy has no word for")
    #endif
    return words[Int(id)].load(ordering: .relaxed)
  }

  /// Whether an object with such a word is resident.
  @inlinable @inline(__always) public func isResident(_ word: UInt32) -> Bool {
    word &- first <= span
  }

  /// Makes a hit of an object whose word was `word`, that of a resident object, and says whether it
  /// is still resident. O(1).
  @inlinable @inline(__always) @discardableResult public func count(
    _ id: ObjectID, _ word: UInt32
  ) -> Bool {
    // Not written again: the other processors then keep what they have of it.
    word & counter >= highest || advance(id, word)
  }

  /// What has been changed since it was read is read again: a policy's own change is never undone.
  @inlinable @inline(__always) func advance(_ id: ObjectID, _ word: UInt32) -> Bool {
    var word = word
    while true {
      let (isDone, found) = words[Int(id)].compareExchange(
        expected: word, desired: word &+ step, ordering: .relaxed)
      if isDone { return true }
      word = found
      guard word &- first <= span else { return false }
      if word & counter >= highest { return true }
    }
  }
}
