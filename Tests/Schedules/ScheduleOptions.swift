/// Options of the command line.
struct ScheduleOptions {
  static let usage = """
    usage: Schedules [--seed N] [--schedules N] [--fault NAME] [--failures N]
           Schedules --replay SEED [--fault NAME]
           Schedules --faults [--seed N] [--schedules N]

    Runs schedules from seed N on, until --failures of them have failed (1). --replay runs one with
    every step. --fault plants a fault into the caches; --faults plants each in turn, and fails
    unless each is found within so many schedules.

    """

  var seed: UInt64 = 1
  var schedules: UInt64 = 10_000
  var failures = 1
  var replay: UInt64?
  var fault: String?
  var plantsAll = false

  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      if name == "--faults" {
        plantsAll = true
        continue
      }
      guard let text = rest.popFirst() else { return nil }
      if name == "--fault" {
        fault = text
        continue
      }
      guard let number = UInt64(text) else { return nil }
      switch name {
      case "--seed": seed = number
      case "--schedules": schedules = number
      case "--failures": failures = Int(clamping: max(1, number))
      case "--replay": replay = number
      default: return nil
      }
    }
    let (_, overflows) = seed.addingReportingOverflow(schedules)
    if schedules == 0 || overflows { return nil }
  }
}
