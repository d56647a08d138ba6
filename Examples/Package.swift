// swift-tools-version: 6.1
import PackageDescription

/// A small program that uses the caches as apps do.
func example(_ name: String, isServed: Bool = true) -> Target {
  .executableTarget(
    name: name,
    dependencies: [
      .product(name: "Larder", package: "larder"), .product(name: "LarderHTTP", package: "larder"),
    ] + (isServed ? ["ExampleServer"] : []), path: name)
}

// Each runs as it is:
//
//     swift run --package-path Examples ShopImages
let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15)],
  dependencies: [
    // The library alone: of the packages that Larder can use, nothing but swift-crypto is fetched.
    .package(name: "larder", path: "..", traits: ["Encryption"]),
    // The server of examples and tests.
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
  ],
  targets: [
    example("NewsApp", isServed: false), example("ShopImages"), example("Chat"),
    example("UserDirectory"),
    .target(
      name: "ExampleServer", dependencies: [.product(name: "FlyingFox", package: "FlyingFox")],
      path: "ExampleServer"),
    .testTarget(
      name: "ExamplesTests", dependencies: ["ShopImages", "Chat", "UserDirectory", "ExampleServer"]),
  ]
)
