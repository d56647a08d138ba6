import Foundation
import LarderEngine
import TestSupport
import Testing

@testable import LarderExperiments
@testable import LarderHarness
@testable import LarderTraces

/// Real servers where they are installed, and scripts that misbehave as servers may.
@Suite(.endsInTime) struct ServerCacheTests {
  private static func cell(
    _ server: CacheServer, capacity: UInt64 = 64 << 20,
    _ change: (inout ServerSpec) -> Void = { _ in }
  ) throws -> PlannedCell {
    var spec = ServerSpec(server)
    change(&spec)
    // Said in full: the stand simulates with the defaults of caches.
    let policy = try PolicySpec(parsing: "\(try #require(spec.simulated(.closed))):memory=server")
    let tier = TierSetup(policy: policy, capacity: capacity)
    var planned = ExecutionStand.cell(
      server.kind == .disk ? .disk(tier) : .memory(tier), unit: .bytes,
      contender: server.rawValue)
    planned.server = spec
    return planned
  }

  private static let trace = {
    var trace = ExecutionTrace(requests: 2_000, sizeMax: 3_000, seed: 3)
    trace.isTimed = false
    return trace
  }()

  private static let installed = CacheServer.allCases.filter {
    ServerPeer.path(of: $0.program.name) != nil
  }

  @Test(.enabled(if: !installed.isEmpty, "no server is installed"), arguments: installed)
  func serverWithRoomForAllHitsAsASimulation(_ server: CacheServer) throws {
    let stand = ExecutionStand()
    stand.spec.threads = [1, 2]
    var trace = Self.trace
    trace.hasOperations = !server.isProxy
    let prepared = trace.prepared()
    let planned = try Self.cell(server)
    let simulated = try stand.simulate(planned, over: prepared)
    let executions = try #require(try stand.run(planned, over: prepared))
    let execution = executions[0]
    #expect(execution.counts.hits == simulated.hits && simulated.hits > 0)
    #expect(executions.allSatisfy { $0.valuesChecked == $0.counts.hits && $0.valuesWrong == 0 })
    let state = try #require(execution.server)
    #expect(state.hits == execution.counts.hits && state.evictions ?? 0 == 0)
    // nginx does not say what it is set to.
    #expect(state.entries ?? 0 > 0 && state.capacity ?? 64 << 20 == 64 << 20)
    #expect(state.version.hasPrefix("\(server.title) "))
    #expect(stand.leftovers.isEmpty)
  }

  /// The bounds that docs/servers.md names, with evictions. nginx's manager wakes once, at a time
  /// that differs from the simulation's by what a start takes: so its objects are few.
  @Test(.enabled(if: !installed.isEmpty, "no server is installed"), arguments: installed)
  func simulationIsWithinItsBound(_ server: CacheServer) throws {
    let (capacity, points): (UInt64, Double) =
      switch server {
      case .redis: (4 << 20, 1)
      case .memcached: (6 << 20, 0.2)
      case .nginx: (24 << 20, 1.5)
      case .varnish: (4 << 20, 0.5)
      }
    var trace = ExecutionTrace(
      requests: server.requestsPerSecond * (server == .nginx ? 16 : 5),
      objects: server == .nginx ? 8_000 : 30_000, sizeMax: 1_000, seed: 5)
    (trace.isTimed, trace.hasOperations) = (false, false)
    let (prepared, planned) = (trace.prepared(), try Self.cell(server, capacity: capacity))
    let stand = ExecutionStand()
    stand.spec.load = ServerSpec(server).paced(.closed)
    let simulated = try stand.simulate(planned, over: prepared)
    // A machine that is busy for seconds lets the manager wake at other requests.
    var differences: [Double] = []
    for _ in 0..<(server == .nginx ? 3 : 1) where differences.allSatisfy({ abs($0) > points }) {
      let real = try stand.first(planned, over: prepared)
      #expect(simulated.evictions > 0 && real.valuesWrong == 0)
      differences.append(
        (try #require(real.counts.hitRatio) - #require(simulated.hitRatio)) * 100)
    }
    #expect(differences.contains { abs($0) <= points }, "\(differences) points: \(simulated)")
  }

  @Test func missingProgramIsNamedWithItsPackage() throws {
    for server in CacheServer.allCases {
      let planned = try Self.cell(server) { $0.program = "no-such-server" }
      let error = #expect(throws: ExecutionError.self) {
        try ExecutionStand().run(planned, over: Self.trace.prepared())
      }
      let package = server.program.package
      #expect(try #require(error).description.contains("apt-get install \(package),"))
    }
  }

  @Test func nobodyAtAnAddressIsAnError() throws {
    let planned = try Self.cell(.memcached) { $0.address = "localhost:1" }
    let error = #expect(throws: ExecutionError.self) {
      try ExecutionStand().run(planned, over: Self.trace.prepared())
    }
    #expect(try #require(error).description.contains("localhost:1: no server listens there"))
  }

  /// A program that listens on the socket of its arguments and answers lines in turn.
  private static func script(_ answers: [String], ending: String = "time.sleep(99)") -> String {
    """
    #!/usr/bin/env python3
    import socket, sys, time
    option = '--unixsocket' if '--unixsocket' in sys.argv else '-a'
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[sys.argv.index(option) + 1].removeprefix('s0='))
    listener.listen()
    peer = listener.accept()[0]
    for answer in [\(answers.map { "'\($0)'" }.joined(separator: ", "))]:
        peer.recv(65536)
        peer.sendall(answer.encode())
    peer.recv(65536)
    \(ending)
    """
  }

  @Test(
    .enabled(if: ServerProgram.path("python3") != nil, "python3 is not installed"),
    arguments: [
      (script([]), "it did not answer within 3 s"),
      (script(["+PONG\\r\\n"]), "it did not answer within 3 s"),
      (
        script(["HTTP/1.1 400 Bad Request\\r\\n"]),
        "answered 'HTTP/1.1 400 Bad Request' to 'PING'"
      ),
      (script(["+PONG\\r\\n", "$99999999999\\r\\n"]), "answered '$99999999999' to 'GET "),
      (script(["+PONG\\r\\n", "$-1\\r\\n"], ending: "sys.exit(3)"), "ended with status 3"),
      (
        script(["+PONG\\r\\n", "$-1\\r\\n", "-OOM command not allowed when used memory\\r\\n"]),
        ": OOM command not allowed"
      ),
      (
        "#!/bin/sh\necho 'cannot bind' >&2; exit 7\n",
        "status 7; its last line on standard error: cannot bind"
      ),
      ("#!/bin/sh\nkill -9 $$\n", "ended by signal 9"),
      ("#!/bin/sh\nexec sleep 99\n", "it did not listen on its socket within 3 s"),
    ])
  func faultyServerIsAOneLineError(script: String, message: String) throws {
    try expect(message, of: script, as: .redis)
  }

  private static let greeting = "HTTP/1.1 204 No Content\\r\\n\\r\\n"

  @Test(
    .enabled(if: ServerProgram.path("python3") != nil, "python3 is not installed"),
    arguments: [
      (script([]), "it did not answer within 3 s"),
      (script([greeting]), "it did not answer within 3 s"),
      (script(["SSH-2.0\\r\\n\\r\\n"]), "answered 'SSH-2.0' to 'GET /'"),
      (script([greeting, "rubbish\\r\\n\\r\\n"]), "answered 'rubbish' to 'GET /"),
      (
        script([greeting, "HTTP/1.1 503 Backend fetch failed\\r\\n\\r\\n"]),
        "answered 'HTTP/1.1 503 Backend fetch failed' to 'GET /"
      ),
      (
        script(
          [greeting]
            + Array(repeating: "HTTP/1.1 200 OK\\r\\nContent-Length: 3\\r\\n\\r\\nabc", count: 9)),
        "differ from its value"
      ),
      (script([greeting], ending: "sys.exit(3)"), "ended with status 3"),
      ("#!/bin/sh\necho 'Cannot allocate' >&2; exit 2\n", "error: Cannot allocate"),
    ])
  func faultyProxyIsAOneLineError(script: String, message: String) throws {
    try expect(message, of: script, as: .varnish)
  }

  private func expect(_ message: String, of script: String, as server: CacheServer) throws {
    let stand = ExecutionStand()
    let program = NSTemporaryDirectory() + "larder-server-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: program) }
    #expect(
      FileManager.default.createFile(
        atPath: program, contents: Data(script.utf8), attributes: [.posixPermissions: 0o700]))
    let planned = try Self.cell(server) { ($0.program, $0.timeoutSeconds) = (program, 3) }
    var trace = ExecutionTrace(requests: 9)
    trace.hasOperations = false
    let error = #expect(throws: ExecutionError.self) {
      try stand.run(planned, over: trace.prepared())
    }
    let said = try #require(error).description
    #expect(said.contains(message), "\(said)")
    #expect(!said.contains("\n") && said.count < 500)
    #expect(stand.leftovers.isEmpty)
  }

  @Test(.enabled(if: ServerProgram.path("redis-server") != nil, "redis-server is not installed"))
  func capacityBelowAnEmptyRedisIsAnError() throws {
    let planned = try Self.cell(.redis, capacity: 500_000)
    let error = #expect(throws: ExecutionError.self) {
      try ExecutionStand().run(planned, over: Self.trace.prepared())
    }
    #expect(try #require(error).description.contains("OOM command not allowed"))
  }

  @Test(.enabled(if: ServerProgram.path("memcached") != nil, "memcached is not installed"))
  func valueAboveAMebibyteAndRateAreNoted() throws {
    var trace = ExecutionTrace(requests: 20, sizeMax: 3 << 20, seed: 3)
    (trace.isTimed, trace.hasOperations) = (false, false)
    let stand = ExecutionStand()
    stand.spec.load = .rate(perSecond: 1e9)
    let notes = try stand.first(try Self.cell(.memcached), over: trace.prepared()).notes
    #expect(notes.contains { $0.contains("it stores values below 1 MiB") })
    #expect(notes.contains { $0.contains("requests a second: latencies include") })
  }

  /// A server that runs already keeps its settings and keys; those of a run are removed.
  @Test(.enabled(if: ServerProgram.path("redis-server") != nil, "redis-server is not installed"))
  func serverAtAnAddressIsLeftAsItWas() throws {
    let folder = NSTemporaryDirectory() + "larder-redis-\(UUID().uuidString.prefix(8))"
    let socket = "\(folder)/socket"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let server = Process()
    server.executableURL = URL(fileURLWithPath: try #require(ServerProgram.path("redis-server")))
    server.arguments = [
      "--port", "0", "--unixsocket", socket, "--save", "", "--dir", folder,
      "--maxmemory", "\(32 << 20)", "--maxmemory-policy", "allkeys-lru",
    ]
    server.standardOutput = FileHandle.nullDevice
    try server.run()
    // It may have inherited a mask of signals.
    defer { kill(server.processIdentifier, SIGKILL) }
    // The socket exists before the server listens.
    var own: Int32?
    while own == nil && server.isRunning { own = try LocalSocket.connected(to: socket) }
    let stand = ExecutionStand()
    func entries(
      _ capacity: UInt64 = 32 << 20, _ policy: String = "allkeys-lru", sizeMax: UInt64 = 3_000
    ) throws -> UInt64? {
      var trace = Self.trace
      trace.sizeMax = sizeMax
      let planned = try Self.cell(.redis, capacity: capacity) {
        ($0.address, $0.policy) = (socket, policy)
      }
      return try stand.first(planned, over: trace.prepared()).server?.entries
    }
    let first = try entries()
    #expect(try first ?? 0 > 0 && entries() == first)
    func expect(_ message: String, _ body: () throws -> UInt64?) throws {
      let error = #expect(throws: ExecutionError.self) { _ = try body() }
      #expect(try #require(error).description.contains(message))
    }
    func tell(_ words: String) throws {
      let line = Array("\(words)\r\n".utf8)
      #expect(write(try #require(own), line, line.count) == line.count)
    }
    try expect("set 'capacities: 33554432B'") { try entries(1 << 30) }
    try expect("'maxmemory-policy allkeys-lru', and") { try entries(32 << 20, "allkeys-lfu") }
    // An error leaves no keys, either.
    try tell("CONFIG SET proto-max-bulk-len 1048576")
    try expect("the cache 'redis' failed in ") { try entries(sizeMax: 1_200_000) }
    #expect(try entries() == first)
    try tell("SELECT 3\r\nSET mine 7")
    try expect("holds 1 key, which a run may evict") { try entries() }
    try tell("CONFIG SET maxmemory 0")
    try expect("has no 'maxmemory'") { try entries() }
    #expect(server.isRunning)
  }

  @Test func originInUseIsAnError() throws {
    let place = NSTemporaryDirectory() + "larder-origin-\(UUID().uuidString.prefix(8))"
    defer { unlink(place) }
    close(try LocalSocket.listening(on: place))
    let planned = try Self.cell(.nginx) { ($0.address, $0.origin) = ("localhost:1", place) }
    let error = #expect(throws: ExecutionError.self) {
      try ExecutionStand().run(planned, over: Self.trace.prepared())
    }
    #expect(try #require(error).description.contains("\(place): Address already in use"))
  }

  @Test(.enabled(if: ServerPeer.path(of: "nginx") != nil, "nginx is not installed"))
  func traceWithWritesIsAnErrorOfAProxy() throws {
    let error = #expect(throws: ExecutionError.self) {
      try ExecutionStand().run(try Self.cell(.nginx), over: Self.trace.prepared())
    }
    #expect(try #require(error).description.contains("an HTTP cache is not written to"))
  }

  @Test(.enabled(if: ServerPeer.path(of: "varnishd") != nil, "varnish is not installed"))
  func capacityBelowTheLeastOfVarnishIsAnError() throws {
    let error = #expect(throws: ExecutionError.self) {
      try ExecutionStand().run(
        try Self.cell(.varnish, capacity: 5_000), over: Self.trace.prepared())
    }
    #expect(try #require(error).description.contains("needs at least 1 MiB"))
  }

  /// Its connections end after 1000 requests, and it asks its origin in HTTP/1.0.
  @Test(.enabled(if: ServerPeer.path(of: "nginx") != nil, "nginx is not installed"))
  func nginxAtAnAddressAsksOurOrigin() throws {
    let folder = NSTemporaryDirectory() + "larder-nginx-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "\($0)_temp_path \(folder)/\($0);"
    }
    try """
    daemon off; master_process off; pid \(folder)/pid;
    events {}
    http {
      access_log off; \(paths.joined(separator: " "))
      proxy_cache_path \(folder)/cache keys_zone=z:1m;
      server {
        listen unix:\(folder)/socket; keepalive_requests 100;
        location / { proxy_pass http://unix:\(folder)/origin:; proxy_cache z; }
      }
    }
    """.write(toFile: "\(folder)/conf", atomically: false, encoding: .utf8)
    let server = Process()
    server.executableURL = URL(fileURLWithPath: try #require(ServerPeer.path(of: "nginx")))
    server.arguments = ["-e", "stderr", "-c", "\(folder)/conf"]
    server.standardError = FileHandle.nullDevice
    try server.run()
    defer { kill(server.processIdentifier, SIGKILL) }
    while !FileManager.default.fileExists(atPath: "\(folder)/socket") { usleep(2_000) }
    var trace = Self.trace
    trace.hasOperations = false
    let prepared = trace.prepared()
    let planned = try Self.cell(.nginx) {
      ($0.address, $0.origin) = ("\(folder)/socket", "\(folder)/origin")
    }
    let stand = ExecutionStand()
    for _ in 1...2 {
      let execution = try stand.first(planned, over: prepared)
      #expect(try execution.counts.hits == stand.simulate(planned, over: prepared).hits)
      #expect(execution.valuesChecked == execution.counts.hits && execution.valuesWrong == 0)
      #expect(try #require(execution.server).version.hasPrefix("nginx "))
    }
    #expect(server.isRunning)
  }
}
