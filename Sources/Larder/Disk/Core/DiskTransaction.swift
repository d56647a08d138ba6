import LarderEngine

/// What stands in the open transaction of a disk cache, so that it can be finished or taken back.
struct DiskTransaction {
  /// A file that no row names once the transaction is committed.
  struct Retired {
    var number: UInt64
    var bytes: UInt32
  }

  /// The life of an entry, and which storing of its key it belongs to.
  struct Life {
    var id: ObjectID
    var stored: UInt64
    var created: UInt64
    var expires: UInt64
  }

  /// Ids whose rows were put.
  var puts: [ObjectID] = []
  /// Ids whose rows were deleted.
  var deletes: [ObjectID] = []
  /// What entries were before they were renewed.
  var renewals: [Life] = []
  /// Files to give up when it is committed.
  var retired: [Retired] = []
  /// Bytes of the values put.
  var bytes = 0

  /// Sets, removes and renewals.
  var operations: Int { puts.count + deletes.count + renewals.count }

  /// Notes that the row of an id was put, with a value of so many bytes.
  mutating func put(_ id: ObjectID, bytes count: Int) {
    puts.append(id)
    bytes += count
  }
}
