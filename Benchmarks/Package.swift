// swift-tools-version: 6.1
import PackageDescription

// Micro-benchmarks of the caches, and a slowed-down larder that tries out checks of timings. A
// package of its own, so that nobody builds it along with Larder. See the Makefile: bench-caches,
// alarms.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "larder", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
  ],
  targets: [
    // Names of their own: a module name may exist only once in a build.
    .systemLibrary(
      name: "CBenchmarkSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CBenchmarkJemalloc", pkgConfig: "jemalloc", providers: [.apt(["libjemalloc-dev"])]),
    .executableTarget(
      name: "CacheBenchmarks",
      dependencies: [
        "CBenchmarkSQLite",
        .product(name: "Larder", package: "larder"),
        .product(name: "LarderEngine", package: "larder"),
        .product(name: "LarderTraces", package: "larder"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // larder with every timed run prolonged. Everything else is the same, malloc included.
    .executableTarget(
      name: "SlowLarder",
      dependencies: [
        .product(name: "LarderCommands", package: "larder"),
        .target(name: "CBenchmarkJemalloc", condition: .when(platforms: [.linux])),
      ]),
  ]
)
