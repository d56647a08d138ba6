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
      let images = try shopImages(path: folder)
      // 250 kB of pixels each: 200 of them fill the 50 MB.
      for number in 0..<300 {
        let picture = try await images.value(for: server.url("/\(number)"))
        #expect(picture.pixels.count == 250_000)
      }
      #expect(server.takeRequests().count == 300)
      #expect((150...200).contains(images.cache.memoryCount))
      #expect(images.cache.diskCount == 300)
      // Fresh ones are not asked for again, wherever they are.
      for number in 0..<300 { _ = try await images.value(for: server.url("/\(number)")) }
      #expect(server.takeRequests() == [])
      server.isBroken = true
      images.cache.handle(.critical)
      #expect(try await images.value(for: server.url("/7")).pixels.count == 250_000)
      try images.cache.destroy()
      #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
  }

  @Test func usersAreAskedForOnceAndTogether() async throws {
    try await ExampleServer.run { _, query in
      let ids = query["ids", default: ""].split(separator: ",").compactMap { Int($0) }
      return page(ids.filter { $0 < 100 }.map { User(id: $0, name: "user \($0)") })
    } _: { server in
      let directory = try userDirectory(server.url("/users"))
      #expect(try await directory.values(for: 1...3).count == 3)
      #expect(server.takeRequests() == ["/users ids=1,2,3"])
      #expect(try await directory.value(for: 2) == User(id: 2, name: "user 2"))
      let mixed = try await directory.values(for: [2, 3, 4, 500])
      #expect(Set(mixed.keys) == [2, 3, 4])
      #expect(server.takeRequests() == ["/users ids=4,500"])
      // Nobody has the id: remembered, and not asked again.
      await #expect(throws: MemoryLoadError.self) { try await directory.value(for: 500) }
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
      var chat = try Chat(path: folder, key: key, server: server.url("/"))
      let first = try await chat.pages.value(for: "general/0")
      #expect(first.messages.count == 2)
      _ = try await chat.avatars.value(for: "ada")
      #expect(server.takeRequests().count == 2)
      server.isBroken = true
      #expect(try await chat.pages.value(for: "general/0") == first)
      // Nothing in the folder can be read without the key.
      let files = try #require(FileManager.default.enumerator(atPath: folder.path)).allObjects
      for case let name as String in files {
        let path = folder.appendingPathComponent(name).path
        guard let data = FileManager.default.contents(atPath: path) else { continue }
        #expect(data.range(of: Data(secret.utf8)) == nil, "\(name)")
      }
      try chat.close()
      #expect {
        try Chat(path: folder, key: Data(repeating: 6, count: 32), server: server.url("/"))
      } throws: { error in
        if case DiskCacheError.encryption(_, .wrongKey) = error { true } else { false }
      }
      chat = try Chat(path: folder, key: key, server: server.url("/"))
      #expect(try await chat.pages.value(for: "general/0") == first)
      try chat.logOut()
      #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
  }
}
