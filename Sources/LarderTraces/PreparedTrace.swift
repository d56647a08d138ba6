import LarderEngine
internal import LarderSystem

/// A trace in the form that every simulation reads: dense ids and the columns the source has.
///
/// Immutable once made, shared by all threads. The memory is ours, or a mapped file
/// where that is too large.
public final class PreparedTrace: Sendable {

  /// A name for results: the file's name without folders, or the generator's.
  public let name: String
  /// The columns; their owner is the storage, so that they outlive this object.
  public let requests: RequestColumns
  /// For each request that begins a prompt one more than the prompt's tokens, and 0 for those that
  /// go on with it; nil where the trace has no prompts. As long-lived as the columns.
  public nonisolated(unsafe) let prompts: UnsafePointer<UInt32>?
  /// Sum over the objects that a cache may store of the size of their first request that stores
  /// them or that a stored copy answers; the number of those objects when the trace has no sizes.
  public var footprintBytes: UInt64 { footprint.bytes }
  /// Number of the objects that a cache may store: those with a request other than one that passes
  /// all caches, deletes, or changes the object at the origin.
  public var storableObjects: Int { footprint.objects }
  /// How many requests had a time before that of the request ahead of them, and were given that
  /// one instead, so that times never decrease.
  public let timesRaised: Int
  /// What its objects take.
  let footprint: Footprint
  /// What was noticed when the trace was read from a file; empty for any other.
  public let reading: ReadingFacts

  /// This trace with next uses, once somebody has asked for it.
  let withNextUsesCache = Locked<PreparedTrace?>(nil)
  /// This trace with its prompts from back to front, once somebody has asked for it.
  let tailFirstCache = Locked<PreparedTrace?>(nil)

  /// Wraps columns whose ids are known to be between 1 and `requests.objects`.
  init(
    name: String, requests: RequestColumns, footprint: Footprint, timesRaised: Int = 0,
    reading: ReadingFacts = ReadingFacts(), prompts: UnsafePointer<UInt32>? = nil
  ) {
    self.name = name
    self.requests = requests
    self.footprint = footprint
    self.timesRaised = timesRaised
    self.reading = reading
    self.prompts = prompts
  }

  /// Sentences that whoever reads results of the trace must know: what was resolved, moved or left
  /// out when it was read. Empty when there is nothing to tell.
  public var notes: [String] {
    var notes = reading.notes(objects: requests.objects)
    if timesRaised > 0 {
      notes.append(
        NumberText.counted(timesRaised, "request")
          + " had a time before that of the previous request and "
          + "\(timesRaised == 1 ? "was" : "were") set to that time.")
    }
    return notes
  }

  /// Which part of the objects the trace has.
  public var sampling: TraceSampling { reading.sampling }

  /// Whether the trace has sizes in bytes.
  public var hasSizes: Bool { requests.sizes != nil }
}

/// The objects of a trace, and what they take.
struct Footprint: Sendable, Hashable {
  /// Number of the objects that a cache may store.
  private(set) var objects: Int
  /// Sum of their sizes; their number where the trace has no sizes.
  private(set) var bytes: UInt64
  /// Sum of the sizes of all objects, by the first request of each, whatever it does.
  let all: UInt64

  /// The footprint of columns whose objects all together take `bytes`, by the size of each one's
  /// first request.
  ///
  /// - Complexity: O(requests) for traces with operations, and 1 byte an object where some store
  ///   nothing.
  init(of columns: RequestColumns, all bytes: UInt64) {
    objects = columns.objects
    self.bytes = bytes
    all = bytes
    guard let operations = columns.operations else { return }
    let storing = [Operation.get, .set].map(\.rawValue)
    // Every other operation has a larger number.
    let last = storing.max() ?? 0
    guard (0..<columns.count).contains(where: { operations[$0] > last }) else { return }
    (objects, self.bytes) = (0, 0)
    var isSeen = [Bool](repeating: false, count: columns.objects + 1)
    isSeen.withUnsafeMutableBufferPointer { isSeen in
      for index in 0..<columns.count where operations[index] <= last {
        let id = Int(columns.ids[index])
        if isSeen[id] { continue }
        isSeen[id] = true
        objects += 1
        self.bytes &+= UInt64(columns.sizes?[index] ?? 1)
      }
    }
  }
}
