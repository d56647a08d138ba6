import Foundation

// A disk cache beside SQLite's C API and plain files, in turns, in one process:
// `DiskCacheBenchmark FOLDER [ROUNDS [PART...]]`; parts are small, checkpoints, large, written,
// opening and threads, all by default. Warm page cache; one thread but for `threads`.
//
// The folder is filled and left as it is: deleting much between runs makes the next files slow for
// minutes.

let arguments = CommandLine.arguments
guard arguments.count >= 2 else {
  FileHandle.standardError.write(
    Data("usage: DiskCacheBenchmark FOLDER [ROUNDS [PART...]]\n".utf8))
  exit(2)
}
let rounds = arguments.count > 2 ? max(1, Int(arguments[2]) ?? 40) : 40
let parts = Set(arguments.dropFirst(3))
let bench = try Workbench(folder: arguments[1] + "/run-\(UUID().uuidString)")
func measure(_ part: String, _ body: () throws -> [String]) throws {
  guard parts.isEmpty || parts.contains(part) else { return }
  for line in try body() { print(line) }
}
try measure("small") { try bench.measureSmall(rounds: rounds) }
try measure("checkpoints") { try bench.measureCheckpoints(rounds: rounds) }
try measure("large") { try bench.measureLarge(rounds: rounds) }
try measure("written") { try bench.measureWriteAmplification(rounds: rounds) }
try measure("opening") { try bench.measureOpening() }
try measure("threads") { try bench.measureThreads(rounds: rounds) }
