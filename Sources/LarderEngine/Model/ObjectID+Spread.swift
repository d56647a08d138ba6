extension ObjectID {
  /// The id as a key of 64 bits that looks like any other: a fixed permutation of the numbers (the
  /// finaliser of MurmurHash3, Appleby 2011), so that keys are spread over all integers as those of
  /// an app would be.
  @inlinable
  @inline(__always)
  package var spread: UInt64 {
    var key = UInt64(self)
    key = (key ^ key >> 33) &* 0xFF51_AFD7_ED55_8CCD
    key = (key ^ key >> 33) &* 0xC4CE_B9FE_1A85_EC53
    return key ^ key >> 33
  }

  /// The id of which a number is the `spread`.
  @inlinable
  @inline(__always)
  package init(spread: UInt64) {
    // Half of the bits shifted over the other half undo themselves; the factors are inverses.
    var key = (spread ^ spread >> 33) &* 0x9CB4_B2F8_1293_37DB
    key = (key ^ key >> 33) &* 0x4F74_430C_22A5_4005
    self.init(truncatingIfNeeded: key ^ key >> 33)
  }
}
