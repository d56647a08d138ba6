// swift-tools-version: 6.1
import PackageDescription

// A package of its own, which sees of the library what an app sees and is built in release mode.
// Some faults exist only there, because the optimiser sees the library's inlined code together
// with the key and value types of its user.
let package = Package(
  name: "Foreign",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "larder", path: "../..", traits: ["Encryption"])],
  targets: [
    .systemLibrary(
      name: "CTortureSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    // Threads that read and write one cache.
    .executableTarget(
      name: "Readers",
      dependencies: [
        .product(name: "Larder", package: "larder"),
        .product(name: "LarderEngine", package: "larder"),
      ]),
    // Processes that are killed, disks that fill up, files that are damaged.
    .executableTarget(
      name: "Torture",
      dependencies: [
        "CTortureSQLite",
        .product(name: "Larder", package: "larder"),
        .product(name: "LarderEngine", package: "larder"),
      ]),
  ]
)
