import Foundation
import Larder

/// The process to be killed. It writes one byte when an operation begins and one when it has
/// returned; the operations follow from the seed.
enum KillVictim {
  static let keys = 40
  private static let begins = UInt8(ascii: "b")
  private static let returns = UInt8(ascii: "r")
  private static let fails = UInt8(ascii: "!")

  struct Order {
    var folder: String
    var seed: UInt64
    var durability: DiskDurability
    var isEncrypted: Bool
  }

  /// Progress of a victim.
  struct Run {
    var begun = 0
    var acknowledged = 0
  }

  static func operation(_ random: inout Random, _ seed: UInt64, _ number: Int) -> Operation {
    .draw(&random, keys: keys, number: seed << 20 &+ UInt64(number))
  }

  /// Main function of the child: `victim FOLDER SEED DURABILITY ENCRYPTED`.
  static func run(_ arguments: [String]) -> Int32 {
    guard arguments.count == 4, let seed = UInt64(arguments[1]),
      let durability = DiskDurability(rawValue: arguments[2])
    else { return 2 }
    func mark(_ byte: UInt8) { withUnsafeBytes(of: byte) { _ = write(1, $0.baseAddress, 1) } }
    do {
      var options = Random(seed: ~seed)
      let cache = try BlockingDiskCache(
        path: arguments[0],
        configuration: try .unlimited(&options, durability, isEncrypted: arguments[3] == "true"))
      var state = try History(of: cache, keys: keys)
      var random = Random(seed: seed)
      for number in 0... {
        let operation = operation(&random, seed, number)
        mark(begins)
        try operation.perform(cache, state)
        mark(returns)
        state.apply(operation)
      }
    } catch {
      mark(fails)
      say("\(error)")
    }
    return 1
  }

  /// Starts a victim and kills it when it has acknowledged about `operations` operations.
  static func kill(_ order: Order, after operations: Int, _ state: History) throws -> Run {
    let arguments = [
      "victim", order.folder, "\(order.seed)", order.durability.rawValue, "\(order.isEncrypted)",
    ]
    guard let child = ChildProcess(ChildProcess.ownProgram, arguments) else {
      throw Failure("cannot start the victim")
    }
    defer { child.end() }
    var run = Run()
    var said: [UInt8] = []
    while run.acknowledged < operations {
      guard let bytes = child.bytes(within: 30) else { break }
      said += bytes
      run.acknowledged += bytes.count { $0 == returns }
      if bytes.contains(fails) { break }
    }
    child.kill()
    said += child.drain()
    if let place = said.firstIndex(of: fails) {
      throw Failure("the victim: \(String(decoding: said[(place + 1)...], as: UTF8.self))")
    }
    run.acknowledged = said.count { $0 == returns }
    run.begun = said.count { $0 == begins }
    try require(run.acknowledged >= operations, "the victim hangs or has ended")
    return run
  }
}
