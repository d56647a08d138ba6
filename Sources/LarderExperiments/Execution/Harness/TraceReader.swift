import LarderEngine

/// Reads requests from a trace of which some columns may be missing, as a simulation reads them,
/// with the bytes that a real value has beside the weight that a simulation knows.
struct TraceReader: Sendable {
  private let columns: RequestColumns
  private let unit: CapacityUnit
  private let valueBytes: UInt32
  /// Whether there is anything but gets.
  let hasOperations: Bool
  /// Whether requests have times.
  let hasTimes: Bool
  /// Whether values have sizes of their own.
  let hasSizes: Bool

  /// A reader; a value has `valueBytes` where the trace has no sizes.
  init(_ columns: RequestColumns, unit: CapacityUnit, valueBytes: UInt32) {
    self.columns = columns
    self.unit = unit
    self.valueBytes = valueBytes
    hasOperations = columns.operations != nil
    hasTimes = columns.times != nil
    hasSizes = columns.sizes != nil
  }

  var count: Int { columns.count }
  var objects: Int { columns.objects }

  @inline(__always)
  func id(_ index: Int) -> ObjectID { columns.ids[index] }

  @inline(__always)
  func operation(_ index: Int) -> Operation {
    guard let raw = columns.operations?[index] else { return .get }
    return Operation(rawValue: raw) ?? .get
  }

  /// Microseconds.
  @inline(__always)
  func time(_ index: Int) -> UInt64 { columns.times?[index] ?? 0 }

  /// The bytes of the value.
  @inline(__always)
  func bytes(_ index: Int) -> Int { Int(columns.sizes?[index] ?? valueBytes) }

  /// What the value weighs against the capacity.
  @inline(__always)
  func weight(_ index: Int) -> UInt32 {
    unit == .bytes ? columns.sizes?[index] ?? 1 : 1
  }

  /// What is said of the value when it is stored.
  @inline(__always)
  func options(_ index: Int) -> CacheWriteOptions {
    CacheWriteOptions(
      timeToLiveMicroseconds: UInt64(columns.ttls?[index] ?? 0) * 1_000_000,
      fetchCost: columns.costs?[index] ?? 1, weight: weight(index))
  }

  /// Whether a value may be empty. O(requests) where the trace has sizes.
  func hasEmptyValues() -> Bool {
    guard let sizes = columns.sizes else { return valueBytes == 0 }
    return (0..<columns.count).contains { sizes[$0] == 0 }
  }

  /// The key of an object: a fixed permutation of the ids (the finaliser of MurmurHash3, Appleby
  /// 2011), so that keys are spread over all integers as those of an app would be.
  @inline(__always)
  static func key(_ id: ObjectID) -> UInt64 {
    var key = UInt64(id)
    key = (key ^ key >> 33) &* 0xFF51_AFD7_ED55_8CCD
    key = (key ^ key >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return key ^ key >> 33
  }
}
