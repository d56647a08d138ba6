public import Synchronization

/// What a hit is to a policy to which it is a change of one word of the object's, such as a mark or
/// a counter: enough to make it without the policy, by any number of threads at once and while
/// another one changes what the policy holds.
///
/// An object is resident when its word is one of `residents`. A hit adds `step` to the word unless
/// the bits of `counter` have come to `highest`. Valid until the policy is asked to `reserve`; the
/// policy itself reads and writes the words atomically, too.
@frozen
public struct HitWords {
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
  @inlinable
  @inline(__always)
  public func hit(_ id: ObjectID) -> Bool {
    let word = word(id)
    return isResident(word) && count(id, word)
  }

  /// The word of an object. O(1).
  @inlinable
  @inline(__always)
  public func word(_ id: ObjectID) -> UInt32 {
    #if DEBUG
      assert(Int(id) <= objects, "a hit of an id that the policy has no word for")
    #endif
    return words[Int(id)].load(ordering: .relaxed)
  }

  /// Whether an object with such a word is resident.
  @inlinable
  @inline(__always)
  public func isResident(_ word: UInt32) -> Bool { word &- first <= span }

  /// Makes a hit of an object whose word was `word`, that of a resident object, and says whether it
  /// is still resident. O(1).
  @inlinable
  @inline(__always)
  @discardableResult
  public func count(_ id: ObjectID, _ word: UInt32) -> Bool {
    // Not written again: the other processors then keep what they have of it.
    word & counter >= highest || advance(id, word)
  }

  /// What has been changed since it was read is read again: a policy's own change is never undone.
  @inlinable
  @inline(__always)
  func advance(_ id: ObjectID, _ word: UInt32) -> Bool {
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
