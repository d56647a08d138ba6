/// The sizes of objects as a trace last told them, for traces that say 0 where production missed: a
/// request whose size is not known gets the size that its object had last, in any of the files.
final class KnownSizes {
  private var sizes: [UInt64: UInt32] = [:]
  private var growth = GrowthLimit("the sizes of objects", bytesEach: 16)
  private let skipsZeroSizes: Bool
  private let source: String
  private var filled: [TraceRecord] = []

  /// Nothing is known yet of the objects of `source`.
  init(skipsZeroSizes: Bool, source: String) {
    self.skipsZeroSizes = skipsZeroSizes
    self.source = source
  }

  /// Hands records to `sink` with their sizes; false when it wants no more.
  func pass(_ records: UnsafeBufferPointer<TraceRecord>, to sink: RecordSink) throws -> Bool {
    filled.removeAll(keepingCapacity: true)
    for var record in records {
      if record.isSizeKnown {
        sizes[record.key] = record.size
      } else {
        record.size = sizes[record.key] ?? record.size
        record.isSizeKnown = true
      }
      if record.size != 0 || !skipsZeroSizes { filled.append(record) }
    }
    try growth.check(sizes.count, in: source)
    return filled.isEmpty ? true : try filled.withUnsafeBufferPointer { try sink($0) }
  }
}
