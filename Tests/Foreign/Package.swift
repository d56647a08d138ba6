// swift-tools-version: 6.1
import PackageDescription

// A package of its own, as an app would have it: only the public library, built in release mode.
// Some faults exist only there, because the optimiser sees the library's inlined code together
// with the key and value types of its user.
let package = Package(
  name: "Foreign",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "larder", path: "../..")],
  targets: [
    .executableTarget(
      name: "Readers",
      dependencies: [
        .product(name: "Larder", package: "larder"),
        .product(name: "LarderEngine", package: "larder"),
      ])
  ]
)
