import LarderEngine
import LarderLibc

struct SourcePart: Sendable {
  enum KeyMapping: Sendable {
    case shared
    case offset(UInt64)
    /// A bijection per part, for 64-bit keys, which collide no more often than hashes do.
    case salted(UInt64)

    @inline(__always) func callAsFunction(_ key: UInt64) -> UInt64 {
      switch self {
      case .shared: key
      case .offset(let offset): key &+ offset
      case .salted(let salt): RandomStream.mixed(key &+ salt)
      }
    }
  }

  let columns: TraceColumns
  let keyLimit: Int?
  let requestCount: Int?
  let keys: KeyMapping
  private let open: @Sendable () throws -> any RecordSource

  func makeCursor() throws -> any RecordCursor {
    let source = try open()
    if let generated = source as? GeneratedSource { return try generated.makeCursor() }
    return PushedCursor { try source.records(into: $0) }
  }

  static func parts(
    of specs: [SourceSpec], sharedKeys: Bool, seed: UInt64, objectSeed: UInt64,
    openTrace: @escaping SourceSpec.TraceOpener
  ) throws -> [SourcePart] {
    let openers = specs.enumerated().map { index, spec in
      let partSeed = RandomStream.derived(seed, UInt64(index))
      let partObjectSeed =
        sharedKeys ? objectSeed : RandomStream.derived(objectSeed, UInt64(index))
      return { @Sendable () throws -> any RecordSource in
        try spec.makeSource(seed: partSeed, objectSeed: partObjectSeed, openTrace: openTrace)
      }
    }
    let sources = try openers.map { try $0() }
    if sources.contains(where: { $0.samplingRate < 1 }) {
      throw ComponentError(
        component: "source", parameter: nil,
        message: "a sampled recording cannot be used in phases or a mix")
    }
    let hasLimits = sources.allSatisfy { $0.keyLimit != nil }
    var offset = 0
    return zip(sources, openers).enumerated().map { index, part in
      defer { offset += part.0.keyLimit ?? 0 }
      let keys: KeyMapping =
        if sharedKeys {
          .shared
        } else if hasLimits {
          .offset(UInt64(offset))
        } else {
          .salted(RandomStream.derived(0x5a17, UInt64(index)))
        }
      return SourcePart(
        columns: part.0.columns, keyLimit: part.0.keyLimit, requestCount: part.0.requestCount,
        keys: keys, open: part.1)
    }
  }

  static func source(
    of parts: [SourcePart], requests: Int?,
    makeCursor: @escaping @Sendable () throws -> any RecordCursor
  ) -> GeneratedSource {
    var limit: Int? = 0
    for part in parts {
      guard let largest = limit, let partLimit = part.keyLimit else {
        limit = nil
        break
      }
      if case .offset(let offset) = part.keys {
        limit = Int(offset) + partLimit
      } else {
        limit = max(largest, partLimit)
      }
    }
    return GeneratedSource(
      columns: parts.reduce(into: []) { $0.formUnion($1.columns) }, keyLimit: limit,
      requestCount: requests, makeCursor: makeCursor)
  }
}

/// Time of a part, measured from its first record and continued when the part restarts.
struct PartClock {
  private var base: UInt64
  private var first: UInt64?
  private(set) var elapsed: UInt64

  init(at start: UInt64) {
    base = start
    elapsed = start
  }

  mutating func restart() {
    base = elapsed
    first = nil
  }

  /// Converts a record's own time; never before the time of the previous record.
  @inline(__always) mutating func time(_ own: UInt64) -> UInt64 {
    let start = first ?? own
    first = start
    // A trace whose clock steps back keeps the latest time.
    if own > start { elapsed = max(elapsed, base &+ (own &- start)) }
    return elapsed
  }
}

final class MixCursor: RecordCursor {
  private let parts: [MixedPart]
  private let table: AliasTable
  private var random: RandomStream
  private var left: Int
  private var time: UInt64 = 0

  init(_ parts: [SourcePart], table: AliasTable, requests: Int, seed: UInt64) throws {
    self.parts = parts.map { MixedPart($0) }
    self.table = table
    random = RandomStream(seed: seed, purpose: 0x3178)
    left = requests
  }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) throws -> Int {
    let count = min(buffer.count, left)
    for place in 0..<count {
      let part = parts[table.index(random.next())]
      if part.next == part.count { try part.refill() }
      var record = part.records[part.next]
      part.next += 1
      record.key = part.keys(record.key)
      time = max(time, part.clock.time(record.time))
      record.time = time
      buffer[place] = record
    }
    left -= count
    return count
  }
}

private final class MixedPart {
  let keys: SourcePart.KeyMapping
  let records = UnsafeMutableBufferPointer<TraceRecord>.allocate(capacity: 512)
  var next = 0
  var count = 0
  var clock = PartClock(at: 0)
  private let part: SourcePart
  private var cursor: (any RecordCursor)?

  init(_ part: SourcePart) {
    self.part = part
    keys = part.keys
  }

  deinit { records.deallocate() }

  func refill() throws {
    next = 0
    let current = try cursor ?? part.makeCursor()
    cursor = current
    count = try current.fill(records)
    if count > 0 { return }
    clock.restart()
    let again = try part.makeCursor()
    cursor = again
    count = try again.fill(records)
    guard count > 0 else {
      throw ComponentError(
        component: "mix", parameter: nil, message: "a source of the mix has no requests")
    }
  }
}

final class PhasesCursor: RecordCursor {
  private let parts: [SourcePart]
  private var index = 0
  private var cursor: (any RecordCursor)?
  private var clock = PartClock(at: 0)

  init(_ parts: [SourcePart]) { self.parts = parts }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) throws -> Int {
    while index < parts.count {
      let current = try cursor ?? parts[index].makeCursor()
      cursor = current
      let count = try current.fill(buffer)
      if count > 0 {
        let keys = parts[index].keys
        for place in 0..<count {
          buffer[place].key = keys(buffer[place].key)
          buffer[place].time = clock.time(buffer[place].time)
        }
        return count
      }
      cursor = nil
      index += 1
      clock.restart()
    }
    return 0
  }
}

/// A cursor over a push source, which runs in a separate thread, a few thousand records ahead.
/// Releasing the cursor ends the thread at its next batch.
final class PushedCursor: RecordCursor {
  private let pipe = RecordPipe(length: 4, capacity: 2048)
  private var batch = UnsafeBufferPointer<TraceRecord>(start: nil, count: 0)
  private var next = 0

  init(_ records: @escaping (RecordSink) throws -> Void) {
    let pipe = pipe
    let thread = JoinedThread { pipe.fill(by: records) }
    guard let thread else {
      pipe.close(
        TraceError(
          "cannot start a thread to read it", in: "the source",
          advice: "read fewer sources at a time"))
      return
    }
    thread.detach()
  }

  deinit { pipe.stop() }

  func fill(_ buffer: UnsafeMutableBufferPointer<TraceRecord>) throws -> Int {
    while next == batch.count {
      guard let taken = try pipe.take() else {
        (batch, next) = (UnsafeBufferPointer(start: nil, count: 0), 0)
        return 0
      }
      (batch, next) = (taken, 0)
    }
    let count = min(buffer.count, batch.count - next)
    for place in 0..<count { buffer[place] = batch[next + place] }
    next += count
    return count
  }
}
