import ExampleServer
import Foundation
import Larder
import Testing

@testable import Chat
@testable import ShopImages
@testable import UserDirectory

/// The examples with a real server.
struct ExamplesTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "larder-examples-\(UUID().uuidString)")

  private func page(_ value: some Encodable) -> ExampleServer.Page? {
    (try? JSONEncoder().encode(value)).map { .init($0, version: "1") }
  }

  @Test func picturesAreDecodedOnceAndWeighTheirPixels() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await ExampleServer.run { _, _ in
      .init(Data([250, 250, 9]), version: "1")
    } _: { server in
      let images = try await ShopImages(path: folder)
      // 250 kB of pixels each: 200 of them fill the 50 MB.
      for number in 0..<300 {
        let picture = try await images.picture(server.url("/\(number)"))
        #expect(picture?.pixels.count == 250_000)
      }
      #expect(server.takeRequests().count == 300)
      let statistics = await images.cache.statistics
      #expect((150...200).contains(statistics.memory?.count ?? 0))
      #expect(statistics.disk?.count == 300)
      // Fresh ones are not asked for again, wherever they are.
      for number in 0..<300 { _ = try await images.picture(server.url("/\(number)")) }
      #expect(server.takeRequests() == [])
      server.isBroken = true
      images.cache.handle(.critical)
      #expect(try await images.picture(server.url("/7"))?.pixels.count == 250_000)
      try await images.cache.destroy()
      #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
  }

  @Test func usersAreAskedForOnceAndTogether() async throws {
    try await ExampleServer.run { _, query in
      let ids = query["ids", default: ""].split(separator: ",").compactMap { Int($0) }
      return page(ids.filter { $0 < 100 }.map { User(id: $0, name: "user \($0)") })
    } _: { server in
      let directory = try UserDirectory(server.url("/users"))
      #expect(try await directory.users(1...3).count == 3)
      #expect(server.takeRequests() == ["/users ids=1,2,3"])
      #expect(try await directory.users([2])[2] == User(id: 2, name: "user 2"))
      let mixed = try await directory.users([2, 3, 4, 500])
      #expect(Set(mixed.keys) == [2, 3, 4])
      #expect(server.takeRequests() == ["/users ids=4,500"])
      // Nobody has the id: remembered, and not asked again.
      #expect(try await directory.users([500]).isEmpty)
      #expect(server.takeRequests() == [])
    }
  }

  @Test func chatWorksOfflineAndLeavesNothingBehind() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let key = Data(repeating: 5, count: 32)
    let secret = "meet me at the harbour"
    try await ExampleServer.run { path, _ in
      page(Page(messages: [secret, path]))
    } _: { server in
      var chat = try await Chat(path: folder, key: key, server: server.url("/"))
      let first = try await chat.page("general/0")
      #expect(first?.messages.count == 2)
      _ = try await chat.avatar("ada")
      #expect(server.takeRequests().count == 2)
      server.isBroken = true
      #expect(try await chat.page("general/0") == first)
      // Nothing in the folder can be read without the key.
      let files = try #require(FileManager.default.enumerator(atPath: folder.path)).allObjects
      for case let name as String in files {
        let path = folder.appendingPathComponent(name).path
        guard let data = FileManager.default.contents(atPath: path) else { continue }
        #expect(data.range(of: Data(secret.utf8)) == nil, "\(name)")
      }
      try await chat.close()
      await #expect {
        try await Chat(path: folder, key: Data(repeating: 6, count: 32), server: server.url("/"))
      } throws: { error in
        if case DiskCacheError.wrongKey = error { true } else { false }
      }
      chat = try await Chat(path: folder, key: key, server: server.url("/"))
      #expect(try await chat.page("general/0") == first)
      try await chat.logOut()
      #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
  }
}
