import LarderEngine

/// What stands in the open transaction of a disk cache, so that it can be finished or taken back.
struct DiskTransaction {
  /// A file that no row names once the transaction is committed.
  struct Retired {
    var number: UInt64
    var bytes: UInt32
  }

  /// Ids whose rows were put.
  var puts: [ObjectID] = []
  /// Ids whose rows were deleted.
  var deletes: [ObjectID] = []
  /// Files to give up when it is committed.
  var retired: [Retired] = []
  /// Bytes of the values put.
  var bytes = 0
}
