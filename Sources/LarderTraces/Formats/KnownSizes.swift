/// The sizes of objects as a trace last told them, for traces that say 0 where production missed.
struct KnownSizes {
  private var sizes: [UInt64: UInt32] = [:]
  private var growth = GrowthLimit("the sizes of objects", bytesEach: 16)

  /// The size to give a request: `size`, or where that is 0 what the object had last.
  mutating func size(of key: UInt64, saying size: UInt32, in source: String) throws(TraceError)
    -> UInt32
  {
    if size == 0 { return sizes[key] ?? 0 }
    sizes[key] = size
    try growth.check(sizes.count, in: source)
    return size
  }
}
