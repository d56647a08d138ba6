// A chat that works offline, keeps its messages encrypted, and leaves nothing behind after log-out.
//
//     swift run --package-path Examples Chat

import ExampleServer
import Foundation

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
  "larder-chat-\(ProcessInfo.processInfo.processIdentifier)")
// An app keeps this in the system's keychain.
let key = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
try await ExampleServer.run { path, _ in
  if path.hasPrefix("/avatars/") { return .init(Data(repeating: 7, count: 2_000), version: "1") }
  let page = Page(messages: (0..<30).map { "message \($0) of \(path)" })
  return (try? JSONEncoder().encode(page)).map { .init($0, version: "1") }
} _: { server in
  var chat = try await Chat(path: folder, key: key, server: server.url("/"))
  print("— reading three pages, with a picture")
  for number in 0..<3 { _ = try await chat.page("general/\(number)") }
  _ = try await chat.avatar("avatars/ada")
  print("  asked the server \(server.takeRequests().count) times")
  print("— in a tunnel, the pages are still there")
  server.isBroken = true
  print("  \(try await chat.page("general/0")?.messages.count ?? 0) messages")
  print("— nobody can read the folder with another key")
  try await chat.close()
  do {
    _ = try await Chat(path: folder, key: Data(repeating: 0, count: 32), server: server.url("/"))
  } catch {
    print("  \(error)")
  }
  chat = try await Chat(path: folder, key: key, server: server.url("/"))
  print("— log-out")
  try await chat.logOut()
  print("  the folder is there: \(FileManager.default.fileExists(atPath: folder.path))")
}
