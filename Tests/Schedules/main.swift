// Simulated schedules of the caches, for `make schedules`: see `ScheduleOptions.usage`.

import Foundation

guard let options = ScheduleOptions(Array(CommandLine.arguments.dropFirst())) else {
  FileHandle.standardError.write(Data(ScheduleOptions.usage.utf8))
  exit(2)
}
#if LARDER_SCHEDULES
  exit(ScheduleCommand(options).run())
#else
  FileHandle.standardError.write(
    Data("Schedules was built without -DLARDER_SCHEDULES; use `make schedules`.\n".utf8))
  exit(2)
#endif
