import Foundation
import LarderEngine
import LarderPolicies
import Testing

@testable import Larder

@Suite struct CachePresetTests {
  @Test func namesAreUniqueAndFound() {
    #expect(Set(CachePreset.all.map(\.name)).count == CachePreset.all.count)
    for preset in CachePreset.all { #expect(CachePreset.named(preset.name) == preset) }
    #expect(CachePreset.named("nothing") == nil)
  }

  @Test func everyPresetIsDescribed() {
    for preset in CachePreset.all {
      #expect(!preset.summary.isEmpty && !preset.models.isEmpty && !preset.differences.isEmpty)
      #expect(!preset.summary.contains("\n"))
    }
  }

  private static func encryption(of preset: CachePreset) throws -> DiskEncryption? {
    preset.disk?.isEncrypted ?? false
      ? try DiskEncryption(key: Data(repeating: 7, count: 32)) : nil
  }

  @Test(arguments: CachePreset.all)
  func keepsValues(preset: CachePreset) throws {
    let folder = try ScratchFolder()
    let cache = try HybridCache<String, [String: Int]>(
      preset: preset, path: folder.path, encryption: Self.encryption(of: preset))
    try cache.set(["a": 1], for: "x")
    #expect(try cache.entry(for: "x")?.value == ["a": 1])
    try cache.close()
    guard preset.disk != nil else { return }
    let again = try HybridCache<String, [String: Int]>(
      preset: preset, path: folder.path, encryption: Self.encryption(of: preset))
    #expect(try again.entry(for: "x")?.tier == .disk)
    try again.close()
  }

  /// The real cache and the simulation of its arrangement have equal counts, with values, ages and
  /// counts on both sides of the presets' limits.
  @Test(arguments: CachePreset.all)
  func countsEqualThoseOfItsSimulation(preset: CachePreset) throws {
    // Days pass if entries live for days.
    let age = [preset.memory?.age, preset.disk?.age].compactMap { $0 }.max()
    let step = Int((age ?? .seconds(1000)).components.seconds / 1500) + 1
    let trace = ReplayTrace(
      requests: 4000, objects: 4000, sizeMax: 30_000, isTimed: true, stepSeconds: step * 2,
      seed: 5)
    let simulation = try PolicyRegistry.makeSimulation(
      SimulationSetup(arrangement: preset.arrangement(), unit: .bytes), over: trace.columns())
    simulation.run(upTo: trace.lines.count, untilFirstEviction: false)

    let folder = try ScratchFolder()
    var configuration = try preset.configuration(encryption: Self.encryption(of: preset))
    configuration.memory?.shards = 1
    configuration.disk?.durability = .none
    configuration.disk?.limits.freeBytes = 0
    configuration.disk?.countsRows = false
    var replay = try HybridCacheReplay(configuration, in: folder, countsBytes: true)
    try replay.run(trace)
    #expect(replay.counts == simulation.counts, "\(preset.name)")
    #expect(replay.counts.hits > 0)
    if preset.memory?.count != nil { #expect(replay.counts.memory.evictions > 0) }
    if preset.disk?.count == 1000 { #expect(replay.counts.disk.evictions > 0) }
    if age != nil { #expect(replay.counts.expirations > 0) }
  }

  @Test func encryptionNeedsItsKey() throws {
    let folder = try ScratchFolder()
    #expect(throws: HybridCacheError.self) {
      try HybridCache<String, Data>(preset: .mfs, path: folder.path, codec: .data)
    }
    let encryption = try DiskEncryption(key: Data(repeating: 1, count: 16))
    #expect(throws: HybridCacheError.self) {
      try HybridCache<String, Data>(
        preset: .yycache, path: folder.path, encryption: encryption, codec: .data)
    }
  }

  /// One reader's changes to an object do not affect the next.
  @Test func mfsGivesEachReaderACopy() throws {
    final class Note: Codable, @unchecked Sendable {
      var text: String
      init(_ text: String) { self.text = text }
    }
    let folder = try ScratchFolder()
    let cache = try HybridCache<String, Note>(
      preset: .mfs, path: folder.path, encryption: Self.encryption(of: .mfs))
    let note = Note("first")
    try cache.set(note, for: "n")
    note.text = "changed by its writer"
    let read = try #require(try cache.entry(for: "n"))
    #expect(read.tier == .memory)
    #expect(read.value.text == "first")
    read.value.text = "changed by a reader"
    #expect(try cache.entry(for: "n")?.value.text == "first")
    try cache.close()
  }
}
