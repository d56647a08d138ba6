// A chat: pages of messages that are read again soon or never, avatars that hardly change, and one
// disk for both.
//
//     swift run --package-path Examples Chat

import Foundation
import Larder

struct Page: Codable, Sendable {
  var messages: [String]
}

let folder = NSTemporaryDirectory() + "larder-chat-\(ProcessInfo.processInfo.processIdentifier)"
defer { try? FileManager.default.removeItem(atPath: folder) }

// One folder, one limit, two suites: the same key means two things in them.
let disk = try DiskCache(
  path: folder, configuration: DiskConfiguration(limits: DiskLimits(bytes: 64 << 20)))

// Pages scroll by: a policy that is not impressed by what is seen once.
let pages = try HybridCache<String, Page>(
  configuration: HybridCacheConfiguration(
    memory: MemoryCacheConfiguration(limits: MemoryCacheLimits(count: 50), policy: "s3-fifo"),
    suite: "pages"),
  disk: disk)
let avatars = try HybridCache<String, Data>(
  configuration: HybridCacheConfiguration(
    memory: MemoryCacheConfiguration(limits: MemoryCacheLimits(weight: 4 << 20)),
    suite: "avatars"),
  disk: disk, codec: .data)

print("— messages that arrive are written through: another start of the app finds them")
for number in 0..<80 {
  let page = Page(messages: (0..<30).map { "message \($0) of page \(number)" })
  try pages.set(page, for: "general/\(number)")
}
try avatars.set(Data(repeating: 7, count: 2_000), for: "ada")

print("— the newest pages are read again and again, the old ones once")
for number in 70..<80 { for _ in 0..<3 { _ = try pages.value(for: "general/\(number)") } }
for number in 0..<70 { _ = try pages.value(for: "general/\(number)") }
let fromMemory = try (70..<80).filter { try pages.entry(for: "general/\($0)")?.tier == .memory }
print("  of the ten newest, memory still has \(fromMemory.count)")

print("— cache, then network: the screen shows at once what there is, then what is new")
for await result in pages.updates(
  for: "general/79", load: { _ in .value(Page(messages: ["something new"])) })
{
  print(
    "  from \(result.source?.rawValue ?? "nowhere"): \(result.value?.messages.count ?? 0) messages")
}

print("— leaving the workspace clears its messages and nothing else")
try pages.removeAll()
for suite in try disk.suites() where !suite.name.isEmpty {
  print("  \(suite.name): \(suite.count) entries, \(suite.bytes) bytes")
}
try pages.close()
try avatars.close()
try disk.close()
