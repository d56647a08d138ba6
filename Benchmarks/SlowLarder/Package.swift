// swift-tools-version: 6.1
import PackageDescription

// larder with every timed run prolonged, for `make figures PART=alarms`. Everything else is the
// same, malloc included. A package of its own: it needs the tools, and the benchmarks of caches do not.
let package = Package(
  name: "SlowLarder",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "larder", path: "../..", traits: ["Tools"])],
  targets: [
    // A name of its own: a module name may exist only once in a build.
    .systemLibrary(
      name: "CBenchmarkJemalloc", path: "CBenchmarkJemalloc", pkgConfig: "jemalloc",
      providers: [.apt(["libjemalloc-dev"])]),
    .executableTarget(
      name: "SlowLarder",
      dependencies: [
        .product(name: "LarderCommands", package: "larder"),
        .target(name: "CBenchmarkJemalloc", condition: .when(platforms: [.linux])),
      ],
      path: ".", exclude: ["CBenchmarkJemalloc"], sources: ["main.swift"]),
  ]
)
