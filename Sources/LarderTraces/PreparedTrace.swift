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
  /// Sum over objects of the size of their first request; the number of objects when the trace has
  /// no sizes.
  public let footprintBytes: UInt64
  /// How many requests had a time before that of the request ahead of them, and were given that
  /// one instead, so that times never decrease.
  public let timesRaised: Int
  /// What was noticed when the trace was read from a file; empty for any other.
  public let reading: ReadingFacts

  /// This trace with next uses, once somebody has asked for it.
  let withNextUsesCache = Locked<PreparedTrace?>(nil)
  /// This trace with its prompts from back to front, once somebody has asked for it.
  let tailFirstCache = Locked<PreparedTrace?>(nil)

  /// Wraps columns whose ids are known to be between 1 and `requests.objects`.
  init(
    name: String, requests: RequestColumns, footprintBytes: UInt64, timesRaised: Int = 0,
    reading: ReadingFacts = ReadingFacts(), prompts: UnsafePointer<UInt32>? = nil
  ) {
    self.name = name
    self.requests = requests
    self.footprintBytes = footprintBytes
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
