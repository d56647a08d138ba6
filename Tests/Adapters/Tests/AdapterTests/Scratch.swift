import Foundation

/// A folder for one test, removed with this object.
final class Scratch {
  let path = NSTemporaryDirectory() + "larder-adapters-\(UUID().uuidString)"
  deinit { try? FileManager.default.removeItem(atPath: path) }
}

struct Refused: Error {}
