import CLibFuzzer
import Foundation
import FuzzTargets

// `Fuzz list` lists the targets. `Fuzz TARGET [FLAGS] [FOLDER ...]` fuzzes one if libFuzzer is
// linked (`make fuzz`); `Fuzz TARGET FILE ...` runs files in every build.

func refuse(_ line: String) -> Never {
  FileHandle.standardError.write(Data("\(line)\n".utf8))
  exit(2)
}

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments == ["list"] {
  for target in FuzzRegistry.all { print(target.name) }
  exit(0)
}

// For merging, libFuzzer restarts this program with its flags alone.
let variable = "LARDER_FUZZ_TARGET"
let isAgain = arguments.first?.hasPrefix("-") ?? false
let asked = isAgain ? ProcessInfo.processInfo.environment[variable] : arguments.first
guard let name = asked else {
  refuse("usage: Fuzz list | Fuzz TARGET [FLAGS] [FOLDER ...] | Fuzz TARGET FILE ...")
}
guard let target = FuzzRegistry.target(named: name) else {
  let names = FuzzRegistry.all.map(\.name).joined(separator: ", ")
  refuse("no target is named \(name); there are \(names)")
}
setenv(variable, name, 1)
let others = Array(isAgain ? arguments[...] : arguments.dropFirst())

ChosenTarget.choose(target)
larder_fuzz_mutate_by { bytes, count, most, seed in
  guard let bytes else { return 0 }
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  guard let mutated = NumberMutation.mutated(input, seed: seed, lengthMax: most) else { return 0 }
  _ = UnsafeMutableBufferPointer(start: bytes, count: mutated.count).update(from: mutated)
  return mutated.count
}
var words = [CommandLine.arguments[0], "-max_len=\(target.lengthMax)"] + others
var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
let code = pointers.withUnsafeMutableBufferPointer { pointers -> Int32 in
  var count = Int32(words.count)
  var values = pointers.baseAddress
  return larder_fuzz_run(&count, &values) { bytes, count in
    ChosenTarget.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
  }
}
if code != -1 { exit(code) }
for path in others {
  guard let data = FileManager.default.contents(atPath: path) else { refuse("cannot read \(path)") }
  ChosenTarget.run([UInt8](data))
  print("\(path): passed")
}
