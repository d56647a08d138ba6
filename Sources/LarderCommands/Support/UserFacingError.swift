import Larder
import LarderAdvice
import LarderChecks
import LarderEngine
import LarderHarness
import LarderReports
import LarderSimulation
import LarderStore
import LarderTraces
import LarderWorkloads

/// An error whose cause is the user's to change, and how it ends a command.
///
/// An error that does not conform is a fault of the program and ends it with exit code 70. A test
/// of the repository asks each type of error in the sources to conform or to be caught.
protocol UserFacingError: Error {
  /// The exit code: 2 by default, for a request that cannot be served as it is.
  var exitCode: Int32 { get }
}

extension UserFacingError {
  var exitCode: Int32 { 2 }
}

// Errors of modules that know nothing of commands.
extension AdviceError: UserFacingError {}
extension BaselineError: UserFacingError {}
extension BoostingError: UserFacingError {}
extension CapacityError: UserFacingError {}
extension ComponentError: UserFacingError {}
extension ContenderError: UserFacingError {}
extension CurveError: UserFacingError {}
extension DiskCacheError: UserFacingError {}
extension FlashLayoutError: UserFacingError {}
extension MemoryCacheError: UserFacingError {}
extension PartError: UserFacingError {}
extension PlanError: UserFacingError {}
extension PlanFormatError: UserFacingError {}
extension PolicyError: UserFacingError {}
extension ProcessCacheError: UserFacingError {}
extension ReportError: UserFacingError {}
extension StoreError: UserFacingError {}
extension TraceError: UserFacingError {}
extension WorkloadError: UserFacingError {}

extension ServerError: UserFacingError {
  /// 1: the command was right, and the server did not do what it asked for.
  var exitCode: Int32 { 1 }
}

extension CheckOutcome: UserFacingError {
  var exitCode: Int32 { code }
}

extension TimingError: UserFacingError {
  /// 130 where the user wants it to end.
  var exitCode: Int32 { self == .interrupted ? 130 : 2 }
}

extension SweepError: UserFacingError {
  /// 1 for wrong values, 2 for a cache that cannot be run as it was asked for, 70 for our faults.
  var exitCode: Int32 {
    switch self {
    case .execution(_, _, .wrongValues): 1
    case .execution: 2
    case .notDeterministic, .traceMissing, .driverMissing: 70
    }
  }
}
