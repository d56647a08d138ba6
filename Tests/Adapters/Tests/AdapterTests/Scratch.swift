import Foundation

/// A folder of a test, removed with it.
final class Scratch {
  let path = NSTemporaryDirectory() + "larder-adapters-\(UUID().uuidString)"
  deinit { try? FileManager.default.removeItem(atPath: path) }
}

struct Refused: Error {}
