/// What the database says of an entry, without key and value.
struct DiskRow {
  var suite: UInt32
  var isPermanent: Bool
  /// Bytes of the value.
  var bytes: UInt32
  /// The number of the operation that stored a value under the key first, and it in particular.
  var inserted: UInt64
  var stored: UInt64
  var created: UInt64
  var expires: UInt64
  var cost: Float
  var checksum: UInt64
  /// The number of the value's file; 0 when the value stands in the row.
  var file: UInt64
}
