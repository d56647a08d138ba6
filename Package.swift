// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "larder",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "larder", targets: ["LarderCLI"]),
    .library(name: "Larder", targets: ["Larder"]),
    .library(name: "LarderEngine", targets: ["LarderEngine"]),
    // The command as a library, for whoever compares a cache of their own: see Examples/OwnCache.
    .library(name: "LarderCommands", targets: ["LarderCommands"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
  ],
  targets: [
    // C: one header-only shim, and the system's decompressors.
    .target(name: "CLarderShims"),
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CLZMA", pkgConfig: "liblzma", providers: [.apt(["liblzma-dev"]), .brew(["xz"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CJemalloc", pkgConfig: "jemalloc", providers: [.apt(["libjemalloc-dev"])]),

    // The engine: everything that runs once per request. No Foundation.
    .target(name: "LarderEngine", dependencies: ["CLarderShims"]),
    // The caches that an app imports.
    .target(
      name: "Larder",
      dependencies: [
        "LarderEngine", "CLarderShims", "CSQLite",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .target(
      name: "LarderTraces",
      dependencies: ["LarderEngine", "CLarderShims", "CZstd", "CZlib", "CLZMA"]),
    .target(
      name: "LarderExperiments",
      dependencies: [
        "Larder", "LarderEngine", "LarderTraces",
        .target(name: "CJemalloc", condition: .when(platforms: [.linux])),
        .product(name: "Histogram", package: "hdrhistogram-swift"),
        .product(name: "Yams", package: "Yams"),
      ]),
    .target(name: "LarderReports", dependencies: ["LarderExperiments", "LarderEngine"]),
    .target(
      name: "LarderCommands",
      dependencies: [
        "LarderReports", "LarderExperiments", "Larder", "LarderTraces", "LarderEngine",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(name: "LarderCLI", dependencies: ["LarderCommands"]),

    // Not for users: a process that tests kill, failing files for SQLite, and a comparison with SQLite and plain files.
    .executableTarget(name: "DiskCacheVictim", dependencies: ["Larder"]),
    .target(name: "CSQLiteFaults", dependencies: ["CSQLite"]),
    .executableTarget(name: "DiskCacheBenchmark", dependencies: ["Larder", "CSQLite"]),
    // Measures the caches beside their peers: swift run -c release larder-bench
    .executableTarget(
      name: "larder-bench", dependencies: ["Larder", "LarderEngine", "LarderTraces"],
      path: "Sources/LarderBenchmarks"),

    .testTarget(
      name: "LarderEngineTests", dependencies: ["LarderEngine"],
      exclude: ["Fixtures/Scripts", "Golden/generated.csv"]),
    .testTarget(
      name: "LarderTests",
      dependencies: [
        "Larder", "LarderEngine", "CSQLiteFaults", "DiskCacheVictim",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    // Every module that is imported is named: one that comes along unnamed is not rebuilt for.
    .testTarget(name: "LarderTracesTests", dependencies: ["LarderTraces", "LarderEngine"]),
    .testTarget(
      name: "LarderExperimentsTests",
      dependencies: [
        "LarderExperiments", "Larder", "LarderTraces", "LarderEngine",
        .product(name: "Yams", package: "Yams"),
      ]),
    .testTarget(
      name: "LarderReportsTests",
      dependencies: ["LarderReports", "LarderExperiments", "LarderEngine"], exclude: ["Golden"]),
    .testTarget(name: "LarderCLITests", dependencies: ["LarderCLI", "LarderCommands"]),
    .testTarget(name: "RepositoryTests", dependencies: ["LarderEngine", "LarderTraces"]),
  ]
)
