import Foundation
import Testing

@testable import Larder

@Suite struct DiskSuiteTests {
  private struct Article: Codable, Equatable {
    var title: String
    var read: Date
    var scores: [Double]
  }

  private struct NewArticle: Codable {
    var headline: String
  }

  private let folder: ScratchFolder
  private let cache: BlockingDiskCache

  init() throws {
    folder = try ScratchFolder()
    cache = try BlockingDiskCache(
      path: folder.path,
      configuration: DiskConfiguration(limits: DiskLimits(freeBytes: 0)))
  }

  private let article = Article(
    title: "Naïve 🐘", read: Date(timeIntervalSince1970: 1e9), scores: [1, 0.1])

  @Test func valuesOfAnyCodecAreReadBack() throws {
    let json = DiskSuite(cache, name: "json", codec: .json, of: Article.self)
    let plist = DiskSuite(cache, name: "plist", codec: .propertyList, of: Article.self)
    let text = DiskSuite(cache, name: "text", codec: .text)
    let raw = DiskSuite(cache, name: "raw", codec: .data)
    let number = DiskSuite<Int>(
      cache, name: "number",
      codec: DiskCodec(
        encode: { Data("\($0)".utf8) }, decode: { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }))
    try json.set(article, for: "a")
    try plist.set(article, for: "a", options: DiskStoreOptions(contentType: "mine"))
    try text.set("", for: "a")
    try raw.set(Data([0, 255]), for: "a")
    try number.set(-7, for: "a")
    #expect(try json.value(for: "a") == article)
    #expect(
      try cache.entry(for: "a", suite: "json")?.metadata.contentType == "application/json")
    #expect(try plist.value(for: "a") == article)
    #expect(try cache.entry(for: "a", suite: "plist")?.metadata.contentType == "mine")
    #expect(try text.value(for: "a") == "")
    #expect(try raw.value(for: "a") == Data([0, 255]))
    #expect(try number.value(for: "a") == -7)
    #expect(try cache.suites().count == 6)
  }

  @Test func undecodableValueIsAMiss() throws {
    try DiskSuite(cache, name: "s", codec: .json, of: Article.self).set(article, for: "a")
    let new = DiskSuite(cache, name: "s", codec: .json, of: NewArticle.self)
    #expect(try new.value(for: "a") == nil)
    #expect(cache.statistics.undecodables == 1)
    #expect(cache.count == 0)
  }

  @Test func unencodableValueIsAnError() throws {
    let json = DiskSuite(cache, name: "json", codec: .json, of: [Double].self)
    #expect(throws: DiskCacheError.self) { try json.set([.nan], for: "a") }
    #expect(cache.count == 0)
  }
}
