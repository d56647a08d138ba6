// swift-tools-version: 6.1
import PackageDescription

// Small programs that use the caches as apps do. Each runs as it is:
//
//     swift run --package-path Examples NewsApp
let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  dependencies: [
    // The library alone: of the packages that Larder can use, nothing but swift-crypto is fetched.
    .package(name: "larder", path: "..", traits: ["Encryption"])
  ],
  targets: ["NewsApp", "ProductImages", "Chat", "UserSettings"].map { name in
    .executableTarget(
      name: name, dependencies: [.product(name: "Larder", package: "larder")], path: name)
  }
)
