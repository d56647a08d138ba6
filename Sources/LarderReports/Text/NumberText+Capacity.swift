import LarderSystem
import LarderWorkloads

extension NumberText {
  /// A capacity: bytes, or a number of objects without the word; what no cache could fill is none.
  static func capacity(_ value: UInt64, bytes: Bool) -> String {
    guard bytes else { return grouped(value) }
    return value >= CapacitySpec.largestBytes ? "no limit" : self.bytes(value)
  }
}
