// swift-tools-version: 6.1
import PackageDescription

// A separate package, which sees the library as an app does and is built in release mode. Some
// faults exist only there, because the optimiser sees the library's inlined code together with its
// user's key and value types.
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
    // Killed processes, full disks, damaged files.
    .executableTarget(
      name: "Torture",
      dependencies: [
        "CTortureSQLite",
        .product(name: "Larder", package: "larder"),
        .product(name: "LarderEngine", package: "larder"),
      ]),
  ]
)
