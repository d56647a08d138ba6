import Foundation
import Larder

/// Changes bytes of any file in the folder of a closed cache.
enum DamageBytesScenario: Scenario {
  static let name = "damage-bytes"
  static let summary = "changed, cut and added bytes in any file"
  static let rounds = 5_000

  static func round(_ random: inout Random, _ counts: inout Counts) throws {
    var cache = try DamagedCache(&random, isKilled: random.oneIn(3))
    var isLogDamaged = false
    for _ in 0..<(random.oneIn(3) ? 1 + random.below(4) : 1) {
      let files = try Scratch.files(in: cache.scratch.path)
      // Half of the damage affects the database, the rest any other file.
      let database = files.filter { $0.contains("/index.sqlite") }
      let file = random.pick(random.oneIn(2) && !database.isEmpty ? database : files)
      try damage(file, &random)
      if file.hasSuffix("-wal") { isLogDamaged = true }
      counts["damages", default: 0] += 1
    }
    try cache.check(&random, allowsOld: isLogDamaged, &counts)
  }

  private static func damage(_ file: String, _ random: inout Random) throws {
    let url = URL(fileURLWithPath: file)
    var bytes = [UInt8](try Data(contentsOf: url))
    func noise(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }
    guard !bytes.isEmpty else {
      try Data(noise(random.below(5_000))).write(to: url)
      return
    }
    // The header and the schema are a small part of the bytes, and matter most.
    let limit = random.oneIn(3) ? min(bytes.count, 100 + random.below(4_000)) : bytes.count
    let place = random.below(limit)
    let length = min(bytes.count - place, 1 + random.below(random.pick([4, 64, 512, 4_096])))
    switch random.below(8) {
    case 0, 1, 2: bytes[place] ^= 1 << UInt8(random.below(8))
    case 3: bytes.replaceSubrange(place..<(place + length), with: noise(length))
    case 4:
      let fill = random.pick([0, 0xff] as [UInt8])
      bytes.replaceSubrange(place..<(place + length), with: [UInt8](repeating: fill, count: length))
    case 5: bytes.removeSubrange(place...)
    case 6: bytes += noise(1 + random.below(10_000))
    default:
      // Two pages are exchanged, or one is duplicated.
      let pages = bytes.count / 4_096
      guard pages > 1 else { return }
      let (one, other) = (random.below(pages) * 4_096, random.below(pages) * 4_096)
      let page = Array(bytes[one..<(one + 4_096)])
      if random.oneIn(2) {
        bytes.replaceSubrange(one..<(one + 4_096), with: bytes[other..<(other + 4_096)])
      }
      bytes.replaceSubrange(other..<(other + 4_096), with: page)
    }
    try Data(bytes).write(to: url)
  }
}
