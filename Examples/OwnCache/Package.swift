// swift-tools-version: 6.1
import PackageDescription

// The command larder with one more cache, as a package of its own.
let package = Package(
  name: "OwnCache",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "larder", path: "../..", traits: ["Tools"])],
  targets: [
    .executableTarget(
      name: "OwnCache", dependencies: [.product(name: "LarderCommands", package: "larder")],
      path: ".", sources: ["main.swift"])
  ]
)
