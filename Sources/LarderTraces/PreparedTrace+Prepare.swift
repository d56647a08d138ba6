extension PreparedTrace {
  /// Called during preparation with the number of requests so far, every million or so. What it
  /// throws ends the preparation.
  public typealias Progress = (_ requests: Int) throws -> Void

  /// Chooses columns to keep from those there are: what is left out takes no memory.
  public typealias ColumnChoice = (_ available: TraceColumns) -> TraceColumns

  /// Reads a source to its end and gives its objects dense ids in order of first appearance.
  ///
  /// Memory: the columns, and while it runs about 20 to 35 bytes a distinct object for the keys.
  /// Where the source knows its number of requests, what they need is compared with what the
  /// machine has left before anything is read; elsewhere preparation ends when little is left.
  ///
  /// - Parameters:
  ///   - source: a trace file or a generator.
  ///   - name: the trace's name in results.
  ///   - wanted: which columns to keep of those the source has.
  ///   - progress: told every million requests.
  /// - Throws: what the source throws; `TraceError` for more than 2^32 - 2 distinct objects and
  ///   when there is not enough memory.
  /// - Complexity: O(requests) expected.
  public static func prepare(
    source: some RecordSource, name: String, keeping wanted: ColumnChoice = { $0 },
    progress: Progress? = nil
  ) throws -> PreparedTrace {
    try prepare(
      source: source, name: name, keeping: wanted, memory: .machine, progress: progress)
  }

  /// The same within a budget of memory. With a folder to spill to, columns are in files there
  /// without a name, and only the keys are in memory: for a trace that is read in order, as a
  /// writer does, and not simulated.
  static func prepare(
    source: some RecordSource, name: String, keeping wanted: ColumnChoice = { $0 },
    memory: MemoryBudget, spillingTo folder: String? = nil, threads: Int = 1,
    progress: Progress? = nil
  ) throws -> PreparedTrace {
    let interval = 1 << 20
    // A destination may be a device, whose folder takes no files.
    let folder = folder.flatMap { SpillFile.works(in: $0) ? $0 : nil }
    let columns = wanted(source.columns)
    if let requests = source.requestCount, folder == nil {
      try memory.check(
        UInt64(requests) * UInt64(columns.bytesPerRequest), for: "\(requests) requests", in: name,
        advice: "generate fewer requests")
    }
    var builder = try TraceBuilder(
      columns: columns, keyLimit: source.keyLimit, sizeRule: source.sizeRule, memory: memory,
      spillingTo: folder)
    var reported = 0
    func report(_ count: Int) throws {
      guard count - reported >= interval else { return }
      reported = count
      try memory.checkReserve(after: reported, in: name)
      try progress?(reported)
    }
    do {
      if let pieces = try (source as? FileSource)?.pieces(threads: threads),
        let keys = builder.sharedKeys()
      {
        try pieces.read(keys) { piece in
          try builder.add(piece)
          try report(builder.count)
        }
      } else {
        try source.records { batch in
          try builder.add(batch)
          try report(builder.count)
          return true
        }
      }
    } catch var error as TraceError where error.source == "preparation" {
      error.source = name
      throw error
    }
    return try builder.finish(name: name, reading: source.reading)
  }

  /// Reads a trace file, compressed or not. A prepared one (format `larder`) is read as it is, and
  /// checked. One that is larger than half of the memory that is left is mapped, if it is not
  /// compressed: then nobody may change or shorten it while the trace is in use.
  ///
  /// Files of fixed-width records are decoded and numbered in `threads` threads, with the same
  /// result; others are decoded in one, where there is another core, and numbered in the caller's.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - format: its format and options; nil to recognise it by name and content.
  ///   - wanted: which columns to keep of those the file has; a prepared one keeps them all.
  ///   - threads: how many may be used; as many as there are processors by default.
  ///   - progress: told every million requests.
  /// - Throws: `TraceError` for the file, `ComponentError` for the format.
  public static func load(
    path: String, format: ComponentSpec? = nil, keeping wanted: ColumnChoice = { $0 },
    threads: Int? = nil, progress: Progress? = nil
  ) throws -> PreparedTrace {
    try load(
      FileSource(path: path, format: format), keeping: wanted, threads: threads,
      progress: progress)
  }

  /// Reads the files of a reference as one trace; as `load(path:)`.
  public static func load(
    _ reference: TraceReference, keeping wanted: ColumnChoice = { $0 }, threads: Int? = nil,
    progress: Progress? = nil
  ) throws -> PreparedTrace {
    try load(FileSource(reference), keeping: wanted, threads: threads, progress: progress)
  }

  /// Reads a trace file that has been looked at already; as `load(path:)`. The way to read a pipe,
  /// which cannot be opened twice.
  ///
  /// - Parameter folder: where columns are spilled, for a trace that is only written again: in
  ///   memory are then the keys alone, and on the folder's disk as much more as the columns take.
  public static func load(
    _ source: FileSource, keeping wanted: ColumnChoice = { $0 }, spillingTo folder: String? = nil,
    threads: Int? = nil, progress: Progress? = nil
  ) throws -> PreparedTrace {
    let trace =
      try source.prepared()
      ?? prepare(
        source: source, name: source.name, keeping: wanted, memory: .machine, spillingTo: folder,
        threads: threads ?? FilePieces.threadsDefault, progress: progress)
    if trace.requests.count == 0 {
      throw trace.reading.noRequests(in: source.path)
    }
    return trace
  }
}
