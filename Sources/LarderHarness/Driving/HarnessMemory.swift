/// Memory that all threads of a run read through pointers: what they are given to work with is then
/// free of references to count, which would cost more than the work. It lives as long as this does.
final class HarnessMemory: @unchecked Sendable {
  private var ends: [() -> Void] = []

  /// Memory for so many values, each made by `make`. Called before there are threads.
  func allocate<Value: ~Copyable>(
    _ count: Int, _ make: (Int) -> Value
  ) -> UnsafeMutablePointer<Value> {
    let base = UnsafeMutablePointer<Value>.allocate(capacity: count)
    for place in 0..<count { (base + place).initialize(to: make(place)) }
    ends.append {
      base.deinitialize(count: count)
      base.deallocate()
    }
    return base
  }

  deinit {
    for end in ends { end() }
  }
}
