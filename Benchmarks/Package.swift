// swift-tools-version: 6.1
import PackageDescription

// Micro-benchmarks of the caches, for `make figures PART=caches`. A package of its own, so that
// nobody builds it along with Larder. The library has the traits that it has in Tests/Foreign, so that one
// build serves both.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "larder", path: "..", traits: ["Encryption"]),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
  ],
  targets: [
    // A name of its own: a module name may exist only once in a build.
    .systemLibrary(
      name: "CBenchmarkSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .executableTarget(
      name: "CacheBenchmarks",
      dependencies: [
        "CBenchmarkSQLite",
        .product(name: "Larder", package: "larder"),
        .product(name: "LarderEngine", package: "larder"),
        .product(name: "LarderTraces", package: "larder"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
  ]
)
