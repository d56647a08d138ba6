import LarderEngine

/// The sizes of the resident objects, as a driver shows them to a policy.
struct ContractSizes: ObjectSizes {
  private let base: UnsafeMutablePointer<UInt32>
  private let objects: Int

  /// Zeroes for ids up to `objects`, until `deallocate`.
  init(objects: Int) {
    self.objects = objects
    base = .allocate(capacity: objects + 1)
    base.initialize(repeating: 0, count: objects + 1)
  }

  subscript(id: ObjectID) -> UInt32 {
    precondition(Int(id) <= objects, "the size of \(id) is asked for, above all ids")
    return base[Int(id)]
  }

  /// The object is stored with a size.
  func set(_ id: ObjectID, _ size: UInt32) { base[Int(id)] = size }

  /// Gives the memory back.
  func deallocate() { base.deallocate() }
}
