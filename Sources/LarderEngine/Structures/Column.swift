import CLarderShims
public import Synchronization

/// One value for each object, by id: zero until written. Indexing is checked only in debug builds,
/// sizes in every build.
public struct Column<Element: BitwiseCopyable>: ~Copyable {
  @usableFromInline var base: UnsafeMutablePointer<Element>
  /// The largest id that has a value.
  public private(set) var objects: Int

  /// The largest id that a column can hold: ids have 32 bits.
  @inlinable public static var objectsMax: Int { Int(ObjectID.max) }

  /// Creates zeros for ids 0 to `objects`, which is at most `objectsMax`.
  public init(objects: Int) {
    Column.check(objects)
    self.objects = objects
    base = LargeMemory.allocateZeros(bytes: Column.checkedBytes(objects + 1))
      .bindMemory(to: Element.self, capacity: objects + 1)
  }

  deinit { LargeMemory.deallocate(base, bytes: bytes) }

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

  /// Makes ids up to `objects` valid, growing by at least a fifth; values are kept. O(`objects`),
  /// but on Linux the pages of a large column move without a copy.
  public mutating func reserve(objects wanted: Int) {
    guard wanted > objects else { return }
    Column.check(wanted)
    // A caller that grows by a fifth or more has chosen its size.
    let isLarge = wanted - objects >= objects / 5
    let grown = isLarge ? wanted : min(objects * 2, Column.objectsMax)
    base = LargeMemory.grow(base, from: bytes, to: Column.checkedBytes(grown + 1))
      .bindMemory(to: Element.self, capacity: grown + 1)
    objects = grown
  }

  /// Prefetches the cache line of the value.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) {
    larder_prefetch(base + Int(id))
  }

  /// A copyable view, valid while the column exists and does not grow.
  @inlinable public var view: UnsafePointer<Element> { UnsafePointer(base) }

  /// The values of `count` consecutive ids from `first` on; valid as long as `view`.
  @inlinable @inline(__always) public func row(
    from first: ObjectID, count: Int
  ) -> UnsafeMutablePointer<Element> {
    assert(count >= 0 && Int(first) + count <= objects + 1, "the row ends behind the column")
    return base + Int(first)
  }

  /// Memory held, in bytes.
  public var bytes: Int { Column.bytes(objects + 1) }

  private static func checkedBytes(_ count: Int) -> Int {
    let (bytes, isTooMuch) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
    precondition(
      !isTooMuch && bytes <= Int.max - (4 << 20), "out of address space: \(count) objects")
    return Column.bytes(count)
  }

  private static func bytes(_ count: Int) -> Int {
    let bytes = count * MemoryLayout<Element>.stride
    // Always whole huge pages: a column is accessed randomly over its full length.
    return bytes < 2 << 20 ? bytes : LargeMemory.rounded(bytes, adding: 1)
  }

  private static func check(_ objects: Int) {
    precondition(
      objects >= 0 && objects <= objectsMax,
      "a column for \(objects) objects: expected 0 to \(objectsMax)")
  }
}

/// Concurrent access to 64-bit values, such as times.
extension Column where Element == UInt64 {
  @inlinable @inline(__always) func storeShared(_ id: ObjectID, _ value: UInt64) {
    assert(Int(id) <= objects)
    sharedBase[Int(id)].store(value, ordering: .relaxed)
  }

  @inlinable var sharedBase: UnsafeMutablePointer<Atomic<UInt64>> {
    UnsafeMutableRawPointer(base).assumingMemoryBound(to: Atomic<UInt64>.self)
  }
}

/// The stored sizes in a column, in the form that policies read.
@usableFromInline struct ColumnSizes: ObjectSizes {
  @usableFromInline let base: UnsafePointer<UInt32>
  #if DEBUG
    @usableFromInline let objects: Int
  #endif

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

/// A word for each object, by id, that hits of other threads may change concurrently: every access
/// is atomic with relaxed ordering.
///
/// The storage behind a policy's `hitWords`. Otherwise equivalent to `Column`.
public struct SharedColumn: ~Copyable {
  @usableFromInline var words: Column<UInt32>

  /// Creates zeros for ids 0 to `objects`.
  public init(objects: Int) { words = Column(objects: objects) }

  /// The word of `id`. O(1).
  @inlinable public subscript(id: ObjectID) -> UInt32 {
    @inline(__always) get {
      assert(Int(id) <= words.objects)
      return base[Int(id)].load(ordering: .relaxed)
    }
    @inline(__always) nonmutating set {
      assert(Int(id) <= words.objects)
      base[Int(id)].store(newValue, ordering: .relaxed)
    }
  }

  /// Makes ids up to `objects` valid; words are kept. No other thread may use them during the call,
  /// and `hitWords` must be read again afterwards. O(`objects`).
  public mutating func reserve(objects: Int) { words.reserve(objects: objects) }

  /// Prefetches the cache line of the word.
  @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { words.prefetch(id) }

  /// Memory held, in bytes.
  public var bytes: Int { words.bytes }

  /// The largest id that has a word.
  public var objects: Int { words.objects }

  /// The word of id 0; valid until `reserve`.
  @inlinable @inline(__always) public var base: UnsafeMutablePointer<Atomic<UInt32>> {
    // An atomic word has the layout of the word.
    UnsafeMutableRawPointer(words.base).assumingMemoryBound(to: Atomic<UInt32>.self)
  }
}

/// Hits that only update one word of the object's, so that any number of threads can make them
/// while another changes the policy. An object is resident if its word is one of `residents`; a hit
/// adds `step` unless the bits of `counter` have reached `highest`.
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

  /// Creates hits that change nothing, or that follow `counter`, `highest` and `step`, for objects
  /// whose words start with that of id 0 at `words` and end with that of id `objects`, which debug
  /// builds check.
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

  /// Records a hit and returns true if the object is resident. O(1).
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

  /// Returns true if an object with this word is resident.
  @inlinable @inline(__always) public func isResident(_ word: UInt32) -> Bool {
    word &- first <= span
  }

  /// Records a hit on an object with the word of a resident; true if it is still resident.
  @inlinable @inline(__always) @discardableResult public func count(
    _ id: ObjectID, _ word: UInt32
  ) -> Bool {
    // Not rewritten, so other processors keep their copies of the cache line.
    word & counter >= highest || advance(id, word)
  }

  /// Rereads a word that changed since it was read: a change by the policy is never undone.
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
