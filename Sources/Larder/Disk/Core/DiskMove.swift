import LarderEngine

/// A value that was copied from one place in the segments to another.
struct DiskMove {
  let id: ObjectID
  /// Which storing of the key it is.
  let stored: UInt64
  let old: UInt64
  let copy: UInt64
  let bytes: UInt32
}
