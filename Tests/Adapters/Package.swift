// swift-tools-version: 6.1
import PackageDescription

// The adapters with the packages that they adapt to, which the main package fetches only if a trait
// requires them.
let package = Package(
  name: "Adapters",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(
      name: "larder", path: "../..",
      traits: [
        "Simulation", "Metrics", "Logging", "Tracing", "Lifecycle", "Hummingbird", "HTTPTypes",
        "AsyncHTTPClient",
      ]),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.26.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .testTarget(
      name: "AdapterTests",
      dependencies: [
        .product(name: "Larder", package: "larder"),
        .product(name: "LarderMetrics", package: "larder"),
        .product(name: "LarderLogging", package: "larder"),
        .product(name: "LarderTracing", package: "larder"),
        .product(name: "LarderLifecycle", package: "larder"),
        .product(name: "LarderHummingbird", package: "larder"),
        .product(name: "LarderSignposts", package: "larder"),
        .product(name: "LarderHTTP", package: "larder"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
      ])
  ]
)
