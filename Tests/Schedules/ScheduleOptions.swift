struct ScheduleOptions {
  static let usage = """
    usage: Schedules [--seed N] [--schedules N] [--failures N]
           Schedules --replay SEED

    Runs schedules from seed N on, until --failures of them have failed (1). --replay runs one with
    every step.

    """

  var seed: UInt64 = 1
  var schedules: UInt64 = 10_000
  var failures = 1
  var replay: UInt64?

  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard let number = rest.popFirst().flatMap({ UInt64($0) }) else { return nil }
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
