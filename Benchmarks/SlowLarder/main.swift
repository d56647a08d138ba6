import Foundation
import LarderCommands

// larder, but every run that `larder check --against` times takes longer by the share in
// SLOW_LARDER_SHARE (0.05 without it): the processor spins for that part of the time that the run
// has taken. analysis/alarms uses it to see how often such a slowdown is found.
let share = ProcessInfo.processInfo.environment["SLOW_LARDER_SHARE"].flatMap(Double.init) ?? 0.05
LarderProgram.main(slowdown: min(max(share, 0), 10))
