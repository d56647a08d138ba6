/// A share as it was typed, to six decimals: shares of it are whole numbers that everybody gets who
/// calculates in decimals, where a binary product may be one less (0.29 of 100 is 29).
public struct DecimalShare: Sendable, Hashable {
  @usableFromInline let millionths: UInt64

  /// The nearest share to a number from 0 to 1000.
  public init(_ number: Double) {
    millionths = UInt64((min(max(number, 0), 1000) * 1_000_000).rounded())
  }

  /// The share of a number up to `PolicySetup.capacityMax`, rounded down. O(1).
  @inlinable
  public func of(_ whole: UInt64) -> UInt64 { divide(whole).quotient }

  /// The share of such a number, rounded up. O(1).
  @inlinable
  public func ceiling(of whole: UInt64) -> UInt64 {
    let (quotient, remainder) = divide(whole)
    return remainder == 0 ? quotient : quotient + 1
  }

  @inlinable
  func divide(_ whole: UInt64) -> (quotient: UInt64, remainder: UInt64) {
    let product = whole.multipliedFullWidth(by: millionths)
    return UInt64(1_000_000).dividingFullWidth(product)
  }
}

extension PolicySpec {
  /// The parameter as a share within `range`, or `fallback` when it was not given. As `number`.
  public func share(
    _ parameter: String, default fallback: Double, in range: ClosedRange<Double>
  ) throws(PolicyError) -> DecimalShare {
    DecimalShare(try number(parameter, default: fallback, in: range))
  }
}
