import LarderEngine

extension DiskConfiguration {
  /// Checks every number against its range. Policy and filter check their own.
  func check() throws(DiskCacheError) {
    let largest = PolicySetup.capacityMax
    func require<Number: Comparable>(
      _ name: String, _ value: Number, in range: ClosedRange<Number>, _ hint: String = ""
    ) throws(DiskCacheError) {
      guard range.contains(value) else {
        throw .limit(
          name, "\(value)", expected: "\(range.lowerBound) to \(range.upperBound)\(hint)")
      }
    }
    let nilHint = " (2^50), or nil for no limit"
    if let bytes = limits.bytes {
      try require("limits.bytes", bytes, in: 1...largest, nilHint)
    }
    if let count = limits.count {
      try require("limits.count", count, in: 1...Int(largest), nilHint)
    }
    if let age = limits.age, age.microseconds == 0 {
      throw .limit(
        "limits.age", "\(age)", expected: "at least a microsecond, or nil for no limit")
    }
    try require("limits.freeBytes", limits.freeBytes, in: 0...largest, " (2^50)")
    try require("inlineBytesMax", inlineBytesMax, in: 0...Self.inlineBytesLargest)
    if case .segments(let bytes) = values {
      try require(
        "values.segments.bytes", bytes,
        in: DiskValues.segmentBytesMin...DiskValues.segmentBytesLargest)
    }
    try require("groupWrites", groupWrites, in: 1...1_000_000)
    try require("groupBytes", groupBytes, in: 1...Int(largest), " (2^50)")
    try require("pageCacheBytes", pageCacheBytes, in: 0...(1 << 40), " (1 TiB)")
    try require("checkpointPages", checkpointPages, in: 1...Int(Int32.max))
  }
}
