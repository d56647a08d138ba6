// swift-tools-version: 6.1
import PackageDescription

// A package with an eviction policy of its own. Copy this folder to begin one, and put the address
// of Larder's repository in place of the path.
let package = Package(
  name: "OwnPolicy",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "larder", path: "../..", traits: ["Tools"])],
  targets: [
    .executableTarget(
      name: "OwnPolicy",
      dependencies: [
        .product(name: "LarderCommands", package: "larder"),
        .product(name: "LarderEngine", package: "larder"),
      ]),
    .testTarget(
      name: "OwnPolicyTests",
      dependencies: [
        "OwnPolicy",
        .product(name: "Larder", package: "larder"),
        .product(name: "LarderContracts", package: "larder"),
        .product(name: "LarderEngine", package: "larder"),
      ]),
  ]
)
