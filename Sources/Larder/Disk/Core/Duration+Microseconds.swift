extension Duration {
  /// Whole microseconds, 0 for what is negative, and no more than fit.
  var microseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let (product, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000)
    if overflows { return .max }
    let (sum, carries) = product.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000_000))
    return carries ? .max : sum
  }
}
