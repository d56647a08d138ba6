import Foundation
import Larder

/// Does with a cache what it is told, a command a line, and answers each with "ok" or its error.
struct Script {
  private var cache: BlockingDiskCache
  private let path: String
  private let configuration: DiskConfiguration
  private var version: UInt64 = 1 << 40

  init(path: String, configuration: DiskConfiguration) throws {
    self.path = path
    self.configuration = configuration
    cache = try BlockingDiskCache(path: path, configuration: configuration)
  }

  mutating func run() throws {
    say("open")
    while let line = readLine() {
      do {
        try run(line.split(separator: " ").map(String.init))
        say("ok")
      } catch {
        say("error \(error)")
      }
    }
  }

  private mutating func run(_ words: [String]) throws {
    let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
    switch words[0] {
    case "set":
      let version = UInt64(words[2]) ?? 0
      try cache.set(
        VictimValue.make(key: number, version: version), for: "key \(number)",
        suite: words.count > 3 ? words[3] : "", options: DiskStoreOptions(version: "\(version)"))
    case "expired":
      try cache.set(
        Data(words[1].utf8), for: "key \(number)", options: DiskStoreOptions(timeToLive: .zero))
    case "remove": try cache.remove("key \(number)")
    case "clear": try cache.removeAll()
    case "trim": try cache.trim(toCount: number)
    case "churn":
      // Every size, and removals, so that files and segments are reused.
      for step in 0..<number {
        version += 1
        let key = step % 40
        if step % 7 == 0 { try cache.remove("key \(key)") }
        try cache.set(VictimValue.make(key: key, version: version), for: "key \(key)")
      }
    case "close": try cache.close()
    case "open": cache = try BlockingDiskCache(path: path, configuration: configuration)
    case "suspend": try cache.suspend()
    case "resume": try cache.resume()
    case "destroy": try cache.destroy()
    default: throw DiskCacheError.files(message: "no command \(words[0])")
    }
  }
}
