// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "larder",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "larder", targets: ["LarderCLI"]),
    .library(name: "Larder", targets: ["Larder"]),
    .library(name: "LarderEngine", targets: ["LarderEngine"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
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

    // The engine: everything that runs once per request. No Foundation.
    .target(name: "LarderEngine", dependencies: ["CLarderShims"]),
    // The caches that an app imports.
    .target(name: "Larder", dependencies: ["LarderEngine"]),
    .target(
      name: "LarderTraces",
      dependencies: ["LarderEngine", "CLarderShims", "CZstd", "CZlib", "CLZMA"]),
    .target(
      name: "LarderExperiments",
      dependencies: ["LarderEngine", "LarderTraces", .product(name: "Yams", package: "Yams")]),
    .target(name: "LarderReports", dependencies: ["LarderExperiments", "LarderEngine"]),
    .executableTarget(
      name: "LarderCLI",
      dependencies: [
        "LarderReports", "LarderExperiments", "LarderTraces", "LarderEngine",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),

    // Measures the caches beside their peers: swift run -c release larder-bench
    .executableTarget(
      name: "larder-bench", dependencies: ["Larder", "LarderEngine", "LarderTraces"],
      path: "Sources/LarderBenchmarks"),

    .testTarget(
      name: "LarderEngineTests", dependencies: ["LarderEngine"],
      exclude: ["Fixtures/Scripts", "Golden/generated.csv"]),
    .testTarget(name: "LarderTests", dependencies: ["Larder", "LarderEngine"]),
    // Every module that is imported is named: one that comes along unnamed is not rebuilt for.
    .testTarget(name: "LarderTracesTests", dependencies: ["LarderTraces", "LarderEngine"]),
    .testTarget(
      name: "LarderExperimentsTests",
      dependencies: [
        "LarderExperiments", "LarderTraces", "LarderEngine",
        .product(name: "Yams", package: "Yams"),
      ]),
    .testTarget(
      name: "LarderReportsTests",
      dependencies: ["LarderReports", "LarderExperiments", "LarderEngine"], exclude: ["Golden"]),
    .testTarget(name: "LarderCLITests", dependencies: ["LarderCLI"]),
    .testTarget(name: "RepositoryTests", dependencies: ["LarderEngine", "LarderTraces"]),
  ]
)
