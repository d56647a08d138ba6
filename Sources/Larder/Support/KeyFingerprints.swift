import LarderEngine

/// What stands for a key in sketches and admission filters: `Request.fingerprint`.
@usableFromInline
package enum KeyFingerprints: Sendable, Hashable {
  /// A part of its hash: in memory of that which `KeyHashing` says, on disk of the digest, which is
  /// the same after a restart.
  case hashes
  /// What a simulation takes: the keys are a trace's object ids, or texts that end in one.
  case objectIDs
  /// The same where the ids are `spread`.
  case spreadObjectIDs

  /// The fingerprint of a key that is a number, for other than `hashes`.
  @usableFromInline
  package func fingerprint(number: UInt64) -> UInt32 {
    Request.fingerprint(
      of: self == .spreadObjectIDs
        ? ObjectID(spread: number) : ObjectID(truncatingIfNeeded: number))
  }

  /// The fingerprint of a key that ends in a number, for other than `hashes`. O(length).
  package func fingerprint(text: some BidirectionalCollection<UInt8>) -> UInt32 {
    var number: UInt64 = 0
    var factor: UInt64 = 1
    for byte in text.reversed() {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
      number &+= UInt64(byte - UInt8(ascii: "0")) &* factor
      factor &*= 10
    }
    return fingerprint(number: number)
  }
}
