// User settings and a session: small, precious, private. Encrypted, permanent, and with a session
// that ends by itself.
//
//     swift run --package-path Examples UserSettings

import Foundation
import Larder

struct Settings: Codable, Sendable {
  var theme = "system"
  var notifies = true
}

struct Session: Codable, Sendable {
  var token: String
}

let folder = NSTemporaryDirectory() + "larder-settings-\(ProcessInfo.processInfo.processIdentifier)"
defer { try? FileManager.default.removeItem(atPath: folder) }

// An app keeps this in the system's keychain.
let key = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })

let disk = try DiskCache(
  path: folder,
  configuration: DiskConfiguration(durability: .full, encryption: try DiskEncryption(key: key)))
let settings = DiskSuite(disk, name: "settings", codec: .json, of: Settings.self)
let sessions = DiskSuite(disk, name: "session", codec: .json, of: Session.self)

// Permanent: neither cleaning nor a lack of room takes it; only its key does.
try settings.set(Settings(theme: "dark"), for: "me", options: DiskStoreOptions(isPermanent: true))
// Timed: nobody has to remember to end it.
try sessions.set(
  Session(token: "4711"), for: "me", options: DiskStoreOptions(timeToLive: .seconds(3600)))

print("— 'clear cache' leaves what is permanent")
let freed = try disk.removeAll()
print(
  "  removed \(freed.count), theme is still \(try settings.value(for: "me")?.theme ?? "lost")")

try disk.close()
print("— with another key the folder does not open, and nothing in it is lost")
do {
  let wrong = try DiskEncryption(key: Data(repeating: 0, count: 32))
  _ = try DiskCache(path: folder, configuration: DiskConfiguration(encryption: wrong))
  print("  it opened?")
} catch {
  print("  \(error)")
}

let again = try DiskCache(
  path: folder,
  configuration: DiskConfiguration(durability: .full, encryption: try DiskEncryption(key: key)))
let theme = try DiskSuite(again, name: "settings", codec: .json, of: Settings.self)
  .value(for: "me")?.theme
print("— with the right one: theme \(theme ?? "lost")")
try again.close()
