// A shop's pictures, decoded in memory and as files on disk, from a server that may fail.
//
//     swift run --package-path Examples ShopImages

import ExampleServer
import Foundation

let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
  "larder-shop-\(ProcessInfo.processInfo.processIdentifier)")
try await ExampleServer.run { path, _ in
  UInt8(path.dropFirst("/pictures/".count)).map { .init(Data([200, 100, $0]), version: "v\($0)") }
} _: { server in
  let images = try await ShopImages(path: folder)
  print("— scrolling up and down a list of 60 products")
  for product in Array(1...60) + Array((1...60).reversed()) {
    _ = try await images.picture(server.url("/pictures/\(product)"))
  }
  let statistics = await images.cache.statistics
  print("  asked the server \(server.takeRequests().count) times")
  print("  memory answered \(statistics.memory?.hits ?? 0), disk \(statistics.disk?.hits ?? 0)")
  print("— 80 kB of pixels each in memory, and 3 bytes on disk")
  let onDisk = statistics.disk?.weight ?? 0
  print("  in memory: \(statistics.memory?.count ?? 0); on disk: \(onDisk) bytes")
  print("— the server fails, and the app is in the background")
  server.isBroken = true
  images.cache.handle(.critical)
  let picture = try await images.picture(server.url("/pictures/7"))
  print("  still \(picture?.pixels.count ?? 0) bytes of a picture")
  print("— the user clears the cache in the settings")
  try await images.cache.destroy()
  print("  folder is there: \(FileManager.default.fileExists(atPath: folder.path))")
}
