// A shop's product images: large values, a byte limit in memory, files on disk.
//
//     swift run --package-path Examples ProductImages

import Foundation
import Larder

/// Stands for a decoder of pictures: makes the bytes of one.
@Sendable func download(_ product: Int) async throws -> Data {
  Data(repeating: UInt8(truncatingIfNeeded: product), count: 30_000 + product % 7 * 15_000)
}

let folder = NSTemporaryDirectory() + "larder-images-\(ProcessInfo.processInfo.processIdentifier)"
defer { try? FileManager.default.removeItem(atPath: folder) }

// 50 MB and 200 pictures in memory, 1000 on disk; those over 20 KiB stand in files of their own.
let images = try HybridCache<Int, Data>(preset: .shopImages, path: folder)

print("— before the category page opens, its pictures are fetched, four at a time")
let done = await images.prewarm(1...40, concurrency: 4) { progress in
  if progress.done % 10 == 0 { print("  \(progress.done) of \(progress.total)") }
} load: { request in
  .value(try await download(request.key), contentType: "image/jpeg")
}
print("  fetched \(done.fetched), there already \(done.present)")

print("— scrolling up and down a list of 60 products")
for product in Array(1...60) + Array((1...60).reversed()) {
  _ = try await images.value(for: product) { try await download($0.key) }
}
if let memory = images.statistics.memory, let disk = images.statistics.disk {
  print("  memory answered \(memory.hits), disk \(disk.hits), fetched \(images.statistics.fetches)")
}
print("  in memory: \(images.memoryCount) pictures; on disk: \(images.diskValueBytes) bytes")

print("— the app goes to the background and gives memory back")
images.handle(.warning)
print("  in memory: \(images.memoryCount); on disk: \(images.diskCount)")

print("— the user clears the cache in the settings")
let freed = try images.removeAll()
print("  freed on disk: \(freed.disk.valueBytes) bytes of pictures")
try images.close()
