// Rows of a database behind a server: one request for all that are missing.
//
//     swift run --package-path Examples UserDirectory

import ExampleServer
import Foundation

try await ExampleServer.run { _, query in
  let ids = query["ids", default: ""].split(separator: ",").compactMap { Int($0) }
  let users = ids.filter { $0 <= 1_000 }.map { User(id: $0, name: "user \($0)") }
  return (try? JSONEncoder().encode(users)).map { .init($0, version: "1") }
} _: { server in
  let directory = try UserDirectory(server.url("/users"))
  print("— a page with 100 users, twice")
  for _ in 0..<2 { _ = try await directory.users(1...100) }
  print("  asked the server \(server.takeRequests().count) time(s)")
  print("— the next page has 50 of them, and one who has left")
  let users = try await directory.users(Array(51...150) + [4_711])
  print("  \(users.count) users with \(server.takeRequests().count) request(s)")
  _ = try await directory.users([4_711])
  print("  asked again for the one who has left: \(!server.takeRequests().isEmpty)")
}
