extension UnsafeMutablePointer where Pointee == TraceRecord {
  /// Moves those of `count` records to the front whose size is not 0, and returns how many.
  func removeZeroSizes(of count: Int) -> Int {
    var kept = 0
    for index in 0..<count where self[index].size != 0 {
      self[kept] = self[index]
      kept += 1
    }
    return kept
  }
}
