/// One source of phases or a mix: how to start it, and what its keys become.
struct SourcePart: Sendable {
  /// What a part's key becomes.
  enum KeyMapping: Sendable {
    /// Itself: the parts share their objects.
    case shared
    /// Itself plus the key limits of the parts before.
    case offset(UInt64)
    /// A bijection of its own, where a part's keys are any 64 bits: two parts' keys meet no more
    /// often than hashes do.
    case salted(UInt64)

    @inline(__always)
    func callAsFunction(_ key: UInt64) -> UInt64 {
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
  /// Opens the source anew.
  private let open: @Sendable () throws -> any RecordSource

  /// A run of the source from its beginning.
  func makeCursor() throws -> any RecordCursor {
    let source = try open()
    if let generated = source as? GeneratedSource { return try generated.makeCursor() }
    return PushedCursor(source)
  }

  /// The parts of phases or a mix, each opened once to learn its columns and to find its errors.
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
        message: "a recording of a part of the keys cannot be a part of phases or a mix")
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

  /// A source of `requests` records over all parts: their columns together, and a key limit when
  /// all have one.
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
