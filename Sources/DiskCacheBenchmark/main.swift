import Foundation

// Operations a second of a disk cache beside SQLite's C API and plain files, in turns, in one
// process: `DiskCacheBenchmark FOLDER [ROUNDS]`. The folder is filled and left as it is: deleting
// much between runs makes the next files slow for minutes. One thread, warm page cache.

let arguments = CommandLine.arguments
guard arguments.count >= 2 else {
  FileHandle.standardError.write(Data("usage: DiskCacheBenchmark FOLDER [ROUNDS]\n".utf8))
  exit(2)
}
let root = arguments[1] + "/run-\(UUID().uuidString)"
var benchmark = Benchmark()
for round in 0..<(arguments.count > 2 ? Int(arguments[2]) ?? 3 : 3) {
  try benchmark.run(in: "\(root)/\(round)")
}
print(benchmark.table())
