import Foundation
import Larder

// A process that stores and removes until it is killed, and acknowledges each on standard output:
// "s KEY VERSION" before a set begins and "S KEY VERSION" when it has returned, "r" and "R" for a
// removal, "n" and "N" for a renewal. `DiskCacheVictim FOLDER DURABILITY SEED [KEY]`, the key for
// encryption as a text of 16, 24 or 32 bytes. With `+segments` behind the durability, large values
// are appended to segments, with `+shared` other processes may read, and with `+script` it does
// what it is told on standard input instead: see `Script`.

// `DiskCacheVictim FOLDER DURABILITY full BYTES` works on a full disk instead, or with files of at
// most so many bytes, and says what it met.

let arguments = CommandLine.arguments
if arguments.count == 5, arguments[3] == "full", let bytes = UInt(arguments[4]),
  let durability = DiskDurability(rawValue: arguments[2])
{
  do {
    var disk = try FullDisk(folder: arguments[1], durability: durability, fileBytesMax: bytes)
    print(try disk.run())
    exit(0)
  } catch {
    print("error \(error)")
    exit(1)
  }
}
guard arguments.count == 4 || arguments.count == 5,
  let durability = DiskDurability(rawValue: arguments[2].components(separatedBy: "+")[0]),
  var state = UInt64(arguments[3])
else {
  FileHandle.standardError.write(Data("usage: DiskCacheVictim FOLDER DURABILITY SEED [KEY]\n".utf8))
  exit(2)
}

func say(_ line: String) {
  // One write, so that a line is there whole or not at all.
  let bytes = Array((line + "\n").utf8)
  _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

func draw(_ bound: UInt64) -> UInt64 {
  state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
  return (state >> 33) % bound
}

do {
  let encryption =
    try arguments.count == 5 ? DiskEncryption(key: Data(arguments[4].utf8)) : nil
  let configuration = DiskConfiguration(
    limits: DiskLimits(bytes: nil, freeBytes: 0), durability: durability,
    segmentBytes: arguments[2].contains("+segments") ? 256 << 10 : nil,
    groupWrites: 10, encryption: encryption, isShared: arguments[2].contains("+shared"))
  if arguments[2].contains("+script") {
    var script = try Script(path: arguments[1], configuration: configuration)
    try script.run()
    exit(0)
  }
  let cache = try BlockingDiskCache(path: arguments[1], configuration: configuration)
  var version = state << 20
  say("open")
  while true {
    let key = Int(draw(40))
    version += 1
    switch draw(8) {
    case 0:
      say("r \(key) 0")
      try cache.remove("key \(key)")
      say("R \(key) 0")
    case 1, 2:
      say("n \(key) \(version)")
      try cache.renew("key \(key)", version: "\(version)")
      say("N \(key) \(version)")
    default:
      say("s \(key) \(version)")
      try cache.set(
        VictimValue.make(key: key, version: version), for: "key \(key)",
        options: DiskStoreOptions(version: "\(version)"))
      say("S \(key) \(version)")
    }
  }
} catch {
  say("error \(error)")
  exit(1)
}
