/// Times at which objects were sampled, which wait for the label that an object's next request
/// gives: a list for each object, oldest first.
///
/// A list is a circle of which its owner keeps the last element, 0 for none. All operations are
/// O(1), amortised. Memory: 16 bytes a sample.
struct PendingSamples: ~Copyable {
  struct Sample: BitwiseCopyable {
    var time: UInt64
    var next: UInt32
  }

  private var samples = Column<Sample>(objects: 15)
  private var free: UInt32 = 0
  private var used: UInt32 = 0

  /// Adds a time to the list that ends with `last`.
  mutating func append(_ time: UInt64, to last: inout UInt32) {
    let place = take()
    samples[place] = Sample(time: time, next: last == 0 ? place : samples[last].next)
    if last != 0 { samples[last].next = place }
    last = place
  }

  /// Removes the oldest time from a list that is not empty.
  mutating func removeFirst(from last: inout UInt32) -> UInt64 {
    let first = samples[last].next
    let sample = samples[first]
    if first == last { last = 0 } else { samples[last].next = sample.next }
    samples[first].next = free
    free = first
    return sample.time
  }

  /// Removes all of a list. O(1).
  mutating func removeAll(from last: inout UInt32) {
    guard last != 0 else { return }
    let first = samples[last].next
    samples[last].next = free
    free = first
    last = 0
  }

  private mutating func take() -> UInt32 {
    if free != 0 {
      let place = free
      free = samples[place].next
      return place
    }
    used += 1
    if Int(used) > samples.objects { samples.reserve(objects: Int(used)) }
    return used
  }

  /// Memory held, in bytes.
  var bytes: Int { samples.bytes }
}
