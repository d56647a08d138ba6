// swift-tools-version: 6.1
import PackageDescription

// A package of its own, which sees of the library what an app sees, and is built in release mode:
// programs that run for as long as they are told.
let package = Package(
  name: "foreign",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "larder", path: "../..")],
  targets: [
    .systemLibrary(
      name: "CTortureSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .executableTarget(
      name: "Torture",
      dependencies: ["CTortureSQLite", .product(name: "Larder", package: "larder")]),
  ])
