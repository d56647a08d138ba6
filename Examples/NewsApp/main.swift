// A news app: articles that change, a server that knows their versions, and a reader in a tunnel.
//
//     swift run --package-path Examples NewsApp

import Foundation
import Larder

struct Article: Codable, Sendable {
  var id: String
  var title: String
  var text: String
}

/// The app's server: it answers with versions (ETags), and may be out of reach.
actor NewsServer {
  struct Unreachable: Error {}

  private var versions: [String: Int] = [:]
  private var isReachable = true
  private(set) var bodiesSent = 0

  func publish(_ id: String) { versions[id, default: 0] += 1 }
  func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

  /// `GET /articles/id` with `If-None-Match: version`.
  func article(_ id: String, ifNot version: String?) throws -> OriginAnswer<Article> {
    guard isReachable else { throw Unreachable() }
    guard let number = versions[id] else { return .absent }
    let current = "v\(number)"
    if version == current { return .notModified(maxAge: .seconds(60)) }
    bodiesSent += 1
    let article = Article(
      id: id, title: "Article \(id)", text: String(repeating: "News \(number). ", count: 200))
    return .value(article, version: current, maxAge: .seconds(60))
  }
}

let folder = NSTemporaryDirectory() + "larder-news-app-\(ProcessInfo.processInfo.processIdentifier)"
defer { try? FileManager.default.removeItem(atPath: folder) }

let server = NewsServer()
for id in ["budget", "match", "storm"] { await server.publish(id) }

// 100 articles in memory, 30 days on disk; an old article is better than none.
let configuration = HybridCacheConfiguration(
  memory: MemoryCacheLimits(count: 100), disk: DiskLimits(age: .seconds(30 * 86_400)),
  staleIfError: .seconds(24 * 3600))
let cache = try await HybridCache<String, Article>(path: folder, configuration: configuration)

@Sendable func read(_ id: String, _ strategy: CacheStrategy = .cacheElseFetch) async {
  let result = await cache.result(for: id, strategy: strategy) { request in
    try await server.article(id, ifNot: request.version)
  }
  switch result {
  case .hit(let hit): print("\(id): from \(hit.tier), \(hit.freshness), \(hit.version ?? "-")")
  case .miss: print("\(id): from the server")
  case .absent: print("\(id): there is no such article")
  case .failure(let error): print("\(id): \(error)")
  }
}

print("— the first time, everything comes from the server")
for id in ["budget", "match", "gone"] { await read(id) }

print("— ten cells of the list ask for the same article at once: one fetch")
await withTaskGroup(of: Void.self) { group in
  for _ in 0..<10 {
    group.addTask {
      _ = await cache.result(for: "storm") { try await server.article("storm", ifNot: $0.version) }
    }
  }
}
print("bodies sent so far: \(await server.bodiesSent)")

print("— pull to refresh: the server says 'not modified', no body is sent")
await read("budget", .fetch)
await server.publish("budget")
print("— and after an edit it sends the new one")
await read("budget", .fetch)

print("— the system is short of memory: disk keeps everything")
cache.handle(.critical)
await read("match")

print("— in a tunnel, pull to refresh still shows something")
await server.setReachable(false)
await read("budget", .fetch)

let loads = await cache.statistics.loads
print(
  "— loads \(loads.started), joined \(loads.joined), not modified \(loads.notModified), "
    + "stale answers \(loads.staleIfError)")
try await cache.close()
