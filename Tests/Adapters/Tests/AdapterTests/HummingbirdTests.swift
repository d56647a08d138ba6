import Foundation
import Hummingbird
import Larder
import LarderHummingbird
import Testing

@Suite struct HummingbirdTests {
  private struct User: Codable, Equatable {
    var name: String
  }

  private let scratch = Scratch()

  @Test func valuesSurviveARestart() async throws {
    let persist = CachePersistDriver(try await DiskCache(path: scratch.path))
    try await persist.create(key: "u", value: User(name: "Ada"), expires: nil)
    await #expect(throws: PersistError.duplicate) {
      try await persist.create(key: "u", value: 5, expires: nil)
    }
    #expect(try await persist.get(key: "u", as: User.self) == User(name: "Ada"))
    await #expect(throws: PersistError.invalidConversion) {
      try await persist.get(key: "u", as: [Int].self)
    }
    #expect(try await persist.get(key: "none", as: User.self) == nil)
    try await persist.shutdown()
    let again = CachePersistDriver(try await DiskCache(path: scratch.path))
    #expect(try await again.get(key: "u", as: User.self) == User(name: "Ada"))
    try await again.remove(key: "u")
    #expect(try await again.get(key: "u", as: User.self) == nil)
    try await again.shutdown()
  }

  @Test func ttlIsKeptUnlessAnotherIsGiven() async throws {
    let persist = CachePersistDriver(try await DiskCache(path: scratch.path))
    try await persist.set(key: "n", value: 1, expires: .seconds(3600))
    try await persist.set(key: "n", value: 2, expires: nil)
    let kept = try #require(try await persist.getWithTTL(key: "n", as: Int.self))
    let life = try #require(kept.ttl)
    #expect(kept.object == 2 && life > .seconds(3000) && life <= .seconds(3600))
    try await persist.set(key: "n", value: 3, expires: .seconds(60))
    #expect(try await persist.getWithTTL(key: "n", as: Int.self)?.ttl ?? .zero <= .seconds(60))
    try await persist.set(key: "m", value: 4)
    let endless = try #require(try await persist.getWithTTL(key: "m", as: Int.self))
    #expect(endless.object == 4 && endless.ttl == nil)
    try await persist.set(key: "short", value: 5, expires: .milliseconds(1))
    try await Task.sleep(for: .milliseconds(20))
    #expect(try await persist.get(key: "short", as: Int.self) == nil)
    try await persist.create(key: "short", value: 6, expires: nil)
    #expect(try await persist.get(key: "short", as: Int.self) == 6)
    try await persist.shutdown()
  }

  @Test func rejectedValueIsAnError() async throws {
    let limits = DiskLimits(bytes: 1000)
    let persist = CachePersistDriver(
      try await DiskCache(path: scratch.path, configuration: DiskConfiguration(limits: limits)))
    let large = String(repeating: "a", count: 2000)
    let refusal = CachePersistError.notStored(bytes: 2002)
    await #expect(throws: refusal) { try await persist.create(key: "u", value: large) }
    try await persist.set(key: "u", value: "small", expires: .seconds(3600))
    await #expect(throws: refusal) { try await persist.set(key: "u", value: large) }
    #expect(try await persist.get(key: "u", as: String.self) == nil)
    #expect("\(refusal)".hasPrefix("a value of 2002 bytes was not stored: "))
    try await persist.shutdown()
  }

  @Test func nonPositiveTTLIsNoError() async throws {
    let persist = CachePersistDriver(try await DiskCache(path: scratch.path))
    try await persist.set(key: "u", value: 1, expires: .seconds(3600))
    try await persist.set(key: "u", value: 2, expires: .zero)
    #expect(try await persist.get(key: "u", as: Int.self) == nil)
    try await persist.create(key: "u", value: 3, expires: .seconds(-1))
    #expect(try await persist.get(key: "u", as: Int.self) == nil)
    try await persist.shutdown()
  }
}
