// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "larder",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "larder", targets: ["LarderCLI"]),
    .library(name: "Larder", targets: ["Larder"]),
    .library(name: "LarderEngine", targets: ["LarderEngine"]),
    // What tells whether a policy keeps its contract, for tests: see Examples/OwnPolicy.
    .library(name: "LarderContracts", targets: ["LarderContracts"]),
    // The command as a library, for programs with policies, caches, formats or reports of their
    // own: see Examples/OwnPolicy and Examples/OwnCache.
    .library(
      name: "LarderCommands",
      targets: ["LarderCommands", "LarderReports", "LarderExperiments", "LarderTraces"]),
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
    .target(name: "LarderContracts", dependencies: ["LarderEngine"]),
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
        "CSQLite", "Larder", "LarderEngine", "LarderTraces",
        .product(name: "Histogram", package: "hdrhistogram-swift"),
        .product(name: "Yams", package: "Yams"),
      ]),
    .target(
      name: "LarderReports",
      dependencies: [
        "LarderExperiments", "Larder", "LarderEngine",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    .target(
      name: "LarderCommands",
      dependencies: [
        "LarderReports", "LarderExperiments", "Larder", "LarderTraces", "LarderEngine",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // jemalloc belongs to the program alone: it takes the place of malloc, and sanitizers must not
    // find it where they put theirs. The harness looks for it when it runs.
    .executableTarget(
      name: "LarderCLI",
      dependencies: [
        "LarderCommands", .target(name: "CJemalloc", condition: .when(platforms: [.linux])),
      ]),

    // Larder with one more cache, as a user would add it.
    .executableTarget(
      name: "OwnCache", dependencies: ["LarderCommands", "LarderExperiments"],
      path: "Examples/OwnCache", exclude: ["own-cache.yaml"]),

    // Small programs that use the caches as apps would; each runs as it is.
    .executableTarget(name: "NewsApp", dependencies: ["Larder"], path: "Examples/NewsApp"),
    .executableTarget(
      name: "ProductImages", dependencies: ["Larder"], path: "Examples/ProductImages"),
    .executableTarget(name: "Chat", dependencies: ["Larder"], path: "Examples/Chat"),
    .executableTarget(
      name: "UserSettings", dependencies: ["Larder"], path: "Examples/UserSettings"),

    // Not for users: a process that tests kill, failing files for SQLite, and a comparison with
    // SQLite and plain files.
    .executableTarget(name: "DiskCacheVictim", dependencies: ["Larder"]),
    .target(name: "CSQLiteFaults", dependencies: ["CSQLite"]),
    .executableTarget(name: "DiskCacheBenchmark", dependencies: ["Larder", "CSQLite"]),
    // larder with every timed run made longer, to try out whether checks find it. All else is the
    // same, so it has the same malloc.
    .executableTarget(
      name: "SlowLarder",
      dependencies: [
        "LarderCommands", .target(name: "CJemalloc", condition: .when(platforms: [.linux])),
      ]),
    // Measures the caches beside their peers: swift run -c release larder-bench
    .executableTarget(
      name: "larder-bench",
      dependencies: [
        "Larder", "LarderEngine", "LarderTraces",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/LarderBenchmarks"),

    // Limits of time, for tests that wait for threads and processes.
    .target(name: "TestSupport", path: "Tests/TestSupport"),
    .testTarget(
      name: "LarderEngineTests",
      dependencies: ["LarderContracts", "LarderEngine", "TestSupport"],
      exclude: ["Fixtures/Scripts", "Golden/generated.csv"]),
    .testTarget(
      name: "LarderTests",
      dependencies: [
        "Larder", "LarderEngine", "CSQLiteFaults", "DiskCacheVictim", "TestSupport",
        .product(name: "Crypto", package: "swift-crypto"),
      ]),
    // Every module that is imported is named: one that comes along unnamed is not rebuilt for.
    .testTarget(
      name: "LarderTracesTests", dependencies: ["LarderTraces", "LarderEngine", "TestSupport"]),
    .testTarget(
      name: "LarderExperimentsTests",
      dependencies: [
        "LarderExperiments", "Larder", "LarderTraces", "LarderEngine", "TestSupport",
        .product(name: "Yams", package: "Yams"),
      ]),
    .testTarget(
      name: "LarderReportsTests",
      dependencies: ["LarderReports", "LarderExperiments", "LarderEngine", "TestSupport"],
      exclude: ["Golden"]),
    // Runs the programs, which are built with the tests, and does not link them: see jemalloc.
    .testTarget(name: "LarderCLITests", dependencies: ["LarderCommands", "TestSupport"]),
    .testTarget(name: "RepositoryTests", dependencies: ["LarderEngine", "LarderTraces"]),
  ]
)
