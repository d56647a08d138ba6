import DiskSimulation
import Foundation

// Rounds of one scenario, for `make torture`, whose program Torture starts this one, because it may
// use the package's internal interface. `DiskTorture power|faults --seed N --batch FIRST-END`. A
// line `ok ROUND NAME=COUNT ...` or `fail ROUND MESSAGE` ends each round.

func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

let arguments = CommandLine.arguments
let ends = arguments.last?.split(separator: "-").compactMap { Int($0) } ?? []
guard arguments.count == 6, ["power", "faults"].contains(arguments[1]), arguments[2] == "--seed",
  let seed = UInt64(arguments[3]), arguments[4] == "--batch", ends.count == 2, ends[0] < ends[1]
else {
  FileHandle.standardError.write(
    Data("usage: DiskTorture power|faults --seed N --batch FIRST-END\n".utf8))
  exit(2)
}

for round in ends[0]..<ends[1] {
  do {
    if arguments[1] == "power" {
      let done = try PowerRound.run(seed: seed, round: round)
      say(
        "ok \(round) operations=\(done.operations) power_cuts=\(done.cuts) kills=\(done.kills)")
    } else {
      let done = try FaultRound.run(seed: seed, round: round)
      say("ok \(round) failing_calls=\(done.places) errors=\(done.errors)")
    }
  } catch {
    say("fail \(round) " + "\(error)".replacingOccurrences(of: "\n", with: " "))
    exit(1)
  }
}
