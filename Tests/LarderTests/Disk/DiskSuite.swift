@testable import Larder

/// Values of one type in one suite of a disk cache.
struct DiskSuite<Value> {
  private let cache: BlockingDiskCache
  private let name: String
  private let codec: DiskCodec<Value>

  init(
    _ cache: BlockingDiskCache, name: String, codec: DiskCodec<Value>,
    of type: Value.Type = Value.self
  ) {
    self.cache = cache
    self.name = name
    self.codec = codec
  }

  func value(for key: String) throws(DiskCacheError) -> Value? {
    try cache.value(for: key, suite: name, codec: codec)
  }

  @discardableResult func set(
    _ value: Value, for key: String, options: DiskStoreOptions = DiskStoreOptions()
  ) throws(DiskCacheError) -> Bool {
    try cache.set(value, for: key, suite: name, codec: codec, options: options)
  }
}

extension DiskConfiguration {
  /// A copy with settings that are no part of the initialiser.
  func with(_ change: (inout DiskConfiguration) -> Void) -> DiskConfiguration {
    var copy = self
    change(&copy)
    return copy
  }

  var countingValuesAlone: DiskConfiguration { with { $0.countsRows = false } }
}

extension DiskLimits {
  static func checkingAlways(freeBytes: UInt64) -> DiskLimits {
    var limits = DiskLimits(bytes: nil, freeBytes: freeBytes)
    limits.freeSpaceInterval = 0
    return limits
  }
}
