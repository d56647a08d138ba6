import LarderEngine
import LarderWorkloads

/// Which parts of a trace are counted apart, and what each is for.
struct Segments: Sendable, Hashable {
  /// The end of each, in requests of the trace.
  let ends: [Int]
  /// What candidates are chosen on.
  let learned: Range<Int>
  /// What they are scored on.
  let scored: Range<Int>
  /// The first half of the trace; the second is the rest.
  let firstHalf: Range<Int>

  /// The segments of a trace of so many requests. `learned` is the share that is chosen on; nil for
  /// all of it, which is then what is scored, too. `aligned` moves a border to a place where the
  /// trace may be divided.
  init(requests: Int, learned share: Share?, aligned: (Int) -> Int = { $0 }) {
    let half = aligned(requests / 2)
    let border = aligned(share.map { Int($0.of(UInt64(requests))) } ?? requests)
    ends = Set([half, border, requests]).filter { $0 > 0 }.sorted()
    let borderPlace = (ends.firstIndex(of: border) ?? 0) + 1
    let all = 0..<ends.count
    firstHalf = 0..<((ends.firstIndex(of: half) ?? 0) + 1)
    learned = share == nil ? all : 0..<borderPlace
    scored = share == nil ? all : borderPlace..<ends.count
  }

  /// The second half of the trace.
  var secondHalf: Range<Int> { firstHalf.upperBound..<ends.count }
}
