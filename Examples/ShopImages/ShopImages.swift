import Foundation
import Larder
import LarderHTTP

/// A picture as a screen shows it: large in memory, small in its file.
struct Picture: Sendable {
  /// The file.
  let file: Data
  /// Four bytes for each pixel.
  let pixels: Data

  /// Stands for a decoder of pictures: a file is width, height and colour.
  init(_ file: Data) throws {
    guard file.count == 3 else { throw CocoaError(.fileReadCorruptFile) }
    self.file = file
    pixels = Data(
      repeating: file[file.startIndex + 2],
      count: Int(file[file.startIndex]) * Int(file[file.startIndex + 1]) * 4)
  }
}

/// The pictures of a shop: 50 MB of pixels in memory, 1,000 files on disk, as fresh as the server
/// says, and old ones for a week while it is out of reach.
struct ShopImages: Sendable {
  let cache: HybridCache<URL, Picture>
  private let client: HTTPClient

  init(path: URL, client: HTTPClient = .urlSession()) async throws {
    self.client = client
    let codec = DiskCodec<Picture>(
      identity: "picture", encode: { $0.file }, decode: { try Picture($0) })
    cache = try await HybridCache(
      path: path,
      configuration: HybridCacheConfiguration(
        memory: MemoryCacheLimits(weight: 50_000_000), disk: DiskLimits(count: 1_000),
        staleIfError: .seconds(7 * 86_400)),
      codec: codec, weigh: { $0.pixels.count })
  }

  func picture(_ url: URL) async throws -> Picture? {
    try await cache.result(for: url) { origin in
      let (data, response) = try await client.data(from: origin.key, revalidating: origin)
      return try OriginAnswer(Picture(data), response)
    }.get()
  }
}
