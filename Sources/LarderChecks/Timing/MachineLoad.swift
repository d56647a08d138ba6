#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How busy the machine is.
package enum MachineLoad {
  /// Processes that ran or wanted to, on average over the last minute; nil where the system does
  /// not say.
  package static var oneMinute: Double? {
    var loads = [Double](repeating: 0, count: 1)
    return getloadavg(&loads, 1) == 1 ? loads[0] : nil
  }
}
