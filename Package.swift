// swift-tools-version: 6.1
import PackageDescription

/// Where SQLite and cryptography do not come with the system.
let elsewhere: [Platform] = [.linux, .android, .windows, .wasi]

/// CryptoKit on Apple's systems, and its twin elsewhere.
let crypto = Target.Dependency.product(
  name: "Crypto", package: "swift-crypto",
  condition: .when(platforms: elsewhere, traits: ["Encryption"]))

/// The commit that is built, where that is known.
let revision =
  Context.gitInformation.map {
    "\($0.currentCommit.prefix(12))\($0.hasUncommittedChanges ? "-changed" : "")"
  } ?? ""

/// A product that only the tools need, so that apps need not fetch its package.
func tool(_ name: String, _ package: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: ["Tools"]))
}

/// A product that an adapter needs, so that it is fetched with the trait only.
func adapted(_ name: String, _ package: String, _ trait: String) -> Target.Dependency {
  .product(name: name, package: package, condition: .when(traits: [trait]))
}

/// A family of policies.
func family(_ name: String) -> Target {
  .target(name: name, dependencies: ["LarderEngine"])
}

/// A family that is compared and not used in apps.
func research(_ name: String) -> Target.Dependency {
  .target(name: name, condition: .when(traits: ["Simulation"]))
}

let package = Package(
  name: "larder",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .executable(name: "larder", targets: ["LarderCLI"]),
    // For apps. With `traits: ["Encryption"]` nothing is fetched but swift-crypto, and with
    // `traits: []` nothing at all.
    .library(name: "Larder", targets: ["Larder"]),
    // An HTTP cache for apps: with URLSession, which other apps need not link.
    .library(name: "LarderHTTP", targets: ["LarderHTTP"]),
    .library(name: "LarderEngine", targets: ["LarderEngine", "LarderPolicies"]),
    .library(name: "LarderTraces", targets: ["LarderTraces"]),
    // Adapters for servers, each empty without the trait of its name: docs/adapters.md.
    .library(name: "LarderMetrics", targets: ["LarderMetrics"]),
    .library(name: "LarderLogging", targets: ["LarderLogging"]),
    .library(name: "LarderTracing", targets: ["LarderTracing"]),
    .library(name: "LarderLifecycle", targets: ["LarderLifecycle"]),
    .library(name: "LarderHummingbird", targets: ["LarderHummingbird"]),
    // For Instruments, empty but on Apple's systems. Nothing is fetched for it.
    .library(name: "LarderSignposts", targets: ["LarderSignposts"]),
    // LightGBM for learned policies, loaded when one is made. Nothing is linked.
    .library(name: "LarderLearning", targets: ["LarderLearning"]),
    // What tells whether a policy keeps its contract, for tests: see Examples/OwnPolicy.
    .library(name: "LarderContracts", targets: ["LarderContracts"]),
    // For other languages: a C ABI, which the Python package uses; the header is in CLarder.
    .library(name: "LarderC", type: .dynamic, targets: ["LarderC"]),
    // The command as a library, for programs with policies, caches, formats or reports of their
    // own: see Examples/OwnPolicy and Examples/OwnCache.
    .library(
      name: "LarderCommands",
      targets: [
        "LarderCommands", "LarderReports", "LarderExperiments", "LarderHarness", "LarderTraces",
        "LarderSupport",
      ]),
  ],
  traits: [
    .trait(name: "Encryption", description: "Disk caches can be encrypted."),
    .trait(
      name: "Simulation",
      description: "Simulations, and policies of servers and learned ones. Caches do without."),
    .trait(
      name: "Tools", description: "The command larder, and everything that only it needs.",
      enabledTraits: ["Simulation"]),
    .trait(name: "Metrics", description: "LarderMetrics: statistics for swift-metrics."),
    .trait(name: "Logging", description: "LarderLogging: failures for swift-log."),
    .trait(name: "Tracing", description: "LarderTracing: spans for swift-distributed-tracing."),
    .trait(name: "Lifecycle", description: "LarderLifecycle: a service for a ServiceGroup."),
    .trait(name: "Hummingbird", description: "LarderHummingbird: a PersistDriver."),
    .trait(name: "HTTPTypes", description: "LarderHTTP: messages of swift-http-types."),
    .trait(name: "AsyncHTTPClient", description: "LarderHTTP: async-http-client as the client."),
    // Everything that the tests test. The command is built with `--traits Tools`: see the Makefile.
    .default(enabledTraits: ["Encryption", "Tools"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.14.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.26.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
  ],
  targets: [
    // C: a header-only shim, a file layer of SQLite's, the commit, and libraries that come
    // with the system.
    .target(name: "CLarderShims"),
    .target(
      name: "CLarderFiles",
      dependencies: [.target(name: "CSQLite", condition: .when(platforms: elsewhere))]),
    .target(
      name: "CLarderVersion", cSettings: [.define("LARDER_REVISION", to: "\"\(revision)\"")]),
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CLZMA", pkgConfig: "liblzma", providers: [.apt(["liblzma-dev"]), .brew(["xz"])]),
    .systemLibrary(
      name: "CXXHash", pkgConfig: "libxxhash",
      providers: [.apt(["libxxhash-dev"]), .brew(["xxhash"])]),
    // Without pkg-config: bzip2 has no file for it in Debian 12.
    .systemLibrary(
      name: "CBzip2", providers: [.apt(["libbz2-dev"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CJemalloc", pkgConfig: "jemalloc", providers: [.apt(["libjemalloc-dev"])]),

    // The C library of the system, by whatever name.
    .target(name: "LarderLibc"),
    // The engine: the contract of policies, their structures, and all that drives one once per
    // request. No policy, and no Foundation.
    .target(name: "LarderEngine", dependencies: ["CLarderShims", "LarderLibc"]),
    // Policies, compiled where they are registered. A family is a module of its own, and only the
    // registry imports it: a change in a policy compiles its family and the registry again.
    family("LarderQueuePolicies"),
    family("LarderHistoryPolicies"),
    family("LarderValuePolicies"),
    family("LarderResearchQueues"),
    family("LarderResearchAdaptive"),
    family("LarderResearchModels"),
    family("LarderResearchServers"),
    .target(
      name: "LarderPolicies",
      dependencies: [
        "LarderEngine", "LarderQueuePolicies", "LarderHistoryPolicies", "LarderValuePolicies",
        research("LarderResearchQueues"), research("LarderResearchAdaptive"),
        research("LarderResearchModels"), research("LarderResearchServers"),
      ]),
    .target(name: "LarderContracts", dependencies: ["LarderPolicies", "LarderEngine"]),
    .target(
      name: "LarderLearning", dependencies: ["LarderEngine", "LarderLibc"]),
    // The caches that an app imports.
    .target(
      name: "Larder",
      dependencies: [
        "LarderLibc",
        "LarderPolicies", "LarderEngine", "CLarderShims", "CLarderFiles",
        .target(name: "CSQLite", condition: .when(platforms: elsewhere)), crypto,
      ]),
    .target(
      name: "LarderHTTP",
      dependencies: [
        "Larder", "LarderEngine", adapted("HTTPTypes", "swift-http-types", "HTTPTypes"),
        adapted("HTTPTypesFoundation", "swift-http-types", "HTTPTypes"),
        adapted("AsyncHTTPClient", "async-http-client", "AsyncHTTPClient"),
      ]),
    // Adapters, each behind a trait.
    .target(
      name: "LarderMetrics",
      dependencies: [
        "Larder", "LarderPolicies", "LarderEngine",
        adapted("CoreMetrics", "swift-metrics", "Metrics"),
      ]),
    .target(
      name: "LarderLogging",
      dependencies: ["Larder", adapted("Logging", "swift-log", "Logging")]),
    .target(
      name: "LarderTracing",
      dependencies: [adapted("Tracing", "swift-distributed-tracing", "Tracing")]),
    .target(
      name: "LarderLifecycle",
      dependencies: [
        "Larder", adapted("ServiceLifecycle", "swift-service-lifecycle", "Lifecycle"),
      ]),
    .target(
      name: "LarderHummingbird",
      dependencies: ["Larder", adapted("Hummingbird", "hummingbird", "Hummingbird")]),
    .target(name: "LarderSignposts"),
    .target(
      name: "LarderTraces",
      dependencies: [
        "LarderLibc", "LarderSupport", "LarderEngine", "CLarderShims", "CZstd", "CZlib", "CLZMA",
        "CBzip2",
      ]),
    // Files that are there whole or not at all, safe text, the version.
    .target(name: "LarderSupport", dependencies: ["LarderLibc"]),
    // Workload file or trace to plan, records and decision.
    .target(
      name: "LarderExperiments",
      dependencies: [
        "LarderSupport", "Larder", "LarderPolicies", "LarderEngine", "LarderTraces", "LarderLibc",
        "CXXHash",
        tool("Yams", "Yams"),
      ]),
    // Real caches under load, counts against a baseline, timings in pairs.
    .target(
      name: "LarderHarness",
      dependencies: [
        "LarderSupport", "LarderExperiments", "Larder", "LarderPolicies", "LarderEngine",
        "LarderTraces",
        "LarderLibc", .target(name: "CSQLite", condition: .when(platforms: elsewhere)),
        tool("Histogram", "hdrhistogram-swift"),
      ]),
    // Records to text.
    .target(
      name: "LarderReports",
      dependencies: [
        "LarderSupport", "LarderExperiments", "Larder", "LarderPolicies", "LarderEngine",
      ],
      resources: [.embedInCode("HTML/page.css"), .embedInCode("HTML/page.js")]),
    .target(
      name: "LarderCommands",
      dependencies: [
        "LarderSupport", "LarderReports", "LarderExperiments", "LarderHarness", "Larder",
        "LarderTraces", "LarderLearning", "LarderPolicies", "LarderEngine",
        tool("ArgumentParser", "swift-argument-parser"),
      ]),
    // The C ABI: the header, and what it declares.
    .target(name: "CLarder"),
    .target(
      name: "LarderC",
      dependencies: [
        "CLarder", "LarderSupport", "LarderReports", "LarderExperiments", "LarderHarness",
        "LarderContracts", "LarderTraces", "LarderLearning", "LarderPolicies", "LarderEngine",
      ]),
    // jemalloc belongs to the program alone: it takes the place of malloc, and sanitizers must not
    // find it where they put theirs. The harness looks for it when it runs.
    .executableTarget(
      name: "LarderCLI",
      dependencies: [
        "CLarderVersion", "LarderCommands",
        .target(name: "CJemalloc", condition: .when(platforms: [.linux])),
      ]),

    // For tests alone: limits of time, a process that is killed, and files that fail for SQLite.
    .target(name: "TestSupport", dependencies: ["LarderLibc"], path: "Tests/TestSupport"),
    .executableTarget(
      name: "DiskCacheVictim", dependencies: ["Larder", "LarderLibc"], path: "Tests/DiskCacheVictim"
    ),
    .target(name: "CSQLiteFaults", dependencies: ["CSQLite"], path: "Tests/CSQLiteFaults"),
    // A disk that loses power and fails, and caches on it: for tests and for `make torture`.
    .target(
      name: "DiskSimulation",
      dependencies: [
        "LarderLibc", "Larder", "LarderPolicies", "LarderEngine",
        .target(name: "CSQLite", condition: .when(platforms: elsewhere)),
      ],
      path: "Tests/DiskSimulation"),
    .executableTarget(
      name: "DiskTorture", dependencies: ["DiskSimulation"], path: "Tests/DiskTorture"),
    // Threads, tasks, clock, disk and origin of the caches under a scheduler with a seed: see
    // `make schedules`.
    .target(
      name: "ScheduleSimulation",
      dependencies: ["DiskSimulation", "Larder", "LarderPolicies", "LarderEngine"],
      path: "Tests/ScheduleSimulation"),
    // Cases of a public suite for HTTP caches, with a server: see `make http-cases`.
    .target(
      name: "HTTPCaseSuite", dependencies: ["LarderHTTP", "Larder", "LarderLibc"],
      path: "Tests/HTTPCaseSuite"),
    .executableTarget(
      name: "HTTPCases", dependencies: ["HTTPCaseSuite"], path: "Tests/HTTPCases"),
    .executableTarget(
      name: "Schedules", dependencies: ["ScheduleSimulation"], path: "Tests/Schedules"),

    // Parsers under libFuzzer (`make fuzz`); the tests replay what it found.
    .target(name: "CLibFuzzer", path: "Tests/Fuzz/CLibFuzzer"),
    .target(
      name: "FuzzTargets",
      dependencies: [
        "LarderSupport", "LarderReports", "LarderExperiments", "LarderHarness", "LarderLearning",
        "Larder", "LarderTraces", "LarderPolicies", "LarderEngine", "LarderC", "CLarder",
      ],
      path: "Tests/Fuzz/Targets"),
    .executableTarget(
      name: "Fuzz", dependencies: ["FuzzTargets", "CLibFuzzer"], path: "Tests/Fuzz/Program"),

    .testTarget(
      name: "LarderEngineTests",
      dependencies: [
        "LarderContracts", "LarderPolicies", "LarderQueuePolicies", "LarderResearchAdaptive",
        "LarderResearchModels", "LarderResearchServers", "LarderEngine", "TestSupport",
      ],
      exclude: ["Fixtures/Scripts", "Golden/generated.csv"]),
    .testTarget(
      name: "LarderLearningTests",
      dependencies: [
        "LarderLearning", "LarderContracts", "Larder", "LarderPolicies", "LarderEngine",
        "TestSupport",
      ]),
    .testTarget(
      name: "LarderHTTPTests",
      dependencies: ["HTTPCaseSuite", "LarderHTTP", "Larder", "TestSupport"],
      exclude: ["Fixtures"]),
    .testTarget(
      name: "LarderTests",
      dependencies: [
        "LarderLibc", "Larder", "LarderPolicies", "LarderEngine", "CSQLiteFaults",
        "DiskCacheVictim",
        "DiskSimulation",
        "ScheduleSimulation", "TestSupport", crypto,
      ]),
    // Every module that is imported is named: one that comes along unnamed is not rebuilt for.
    .testTarget(
      name: "LarderTracesTests",
      dependencies: [
        "LarderSupport", "LarderTraces", "LarderPolicies", "LarderEngine", "TestSupport",
      ]),
    .testTarget(
      name: "LarderWorkloadsTests",
      dependencies: [
        "LarderSupport", "LarderExperiments", "Larder", "LarderTraces", "LarderPolicies",
        "LarderEngine",
        "TestSupport", tool("Yams", "Yams"),
      ],
      exclude: ["Golden"]),
    .testTarget(
      name: "LarderSimulationTests",
      dependencies: [
        "LarderSupport", "LarderExperiments", "LarderTraces", "LarderPolicies", "LarderEngine",
        "TestSupport",
      ]),
    .testTarget(
      name: "LarderStoreTests",
      dependencies: [
        "LarderSupport", "LarderExperiments", "LarderTraces", "LarderPolicies", "LarderEngine",
        "TestSupport",
      ]),
    .testTarget(
      name: "LarderAdviceTests",
      dependencies: [
        "LarderSupport", "LarderExperiments", "LarderTraces", "LarderPolicies", "LarderEngine",
        "TestSupport",
      ]),
    .testTarget(
      name: "LarderHarnessTests",
      dependencies: [
        "LarderSupport", "LarderHarness", "LarderExperiments", "Larder", "LarderTraces",
        "LarderPolicies", "LarderEngine", "TestSupport",
      ]),
    .testTarget(
      name: "LarderChecksTests",
      dependencies: [
        "LarderSupport", "LarderHarness", "LarderExperiments", "LarderTraces", "LarderPolicies",
        "LarderEngine",
        "TestSupport",
      ]),
    .testTarget(
      name: "LarderReportsTests",
      dependencies: [
        "LarderSupport", "LarderReports", "LarderExperiments", "LarderHarness", "LarderTraces",
        "LarderPolicies", "LarderEngine", "TestSupport", crypto, tool("Yams", "Yams"),
      ],
      exclude: ["Golden"]),
    .testTarget(
      name: "LarderCTests",
      dependencies: [
        "CLarder", "LarderC", "LarderReports", "LarderExperiments", "LarderTraces",
        "LarderPolicies", "LarderEngine",
        "TestSupport",
      ]),
    // Runs the programs, which are built with the tests, and does not link them: see jemalloc.
    .testTarget(
      name: "LarderCLITests",
      dependencies: [
        "LarderCommands", "LarderExperiments", "LarderTraces", "LarderPolicies", "LarderEngine",
        "TestSupport",
      ]),
    .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "Larder", "TestSupport"]),
    .testTarget(
      name: "RepositoryTests", dependencies: ["LarderPolicies", "LarderEngine", "LarderTraces"]),
  ]
)
