import Foundation
import Larder
import LarderEngine
import LarderExperiments
import LarderPolicies
import LarderSupport

/// A server under test. It is started on a socket in a private folder and ends with this process,
/// or runs already at an address. Each thread has a connection.
final class ServerCache: CacheUnderTest, @unchecked Sendable {
  private let peer: ServerPeer
  private let free: Locked<[any ServerConnection]>
  // Connections of proxies that wait for the value of a missing key.
  private let waiting = Locked<[UInt64: [any ServerConnection]]>([:])
  private let refused = Locked((count: 0, bytes: 0))
  // Of this run, at an address, whose entries are not those of an earlier one and are removed.
  private let run: UInt64
  private let written = Locked<Set<UInt64>>([])

  init(_ setup: CacheSetup) throws(ProcessCacheError) {
    guard let spec = setup.server else { throw .noCommand }
    peer = try ServerPeer(spec, setup)
    run = spec.address == nil ? 0 : .random(in: 1...UInt64.max)
    do throws(ProcessCacheError) {
      var connections: [any ServerConnection] = []
      for index in 0..<max(1, setup.threads) { connections.append(try peer.connection(index)) }
      free = Locked(connections)
      try checkAddress(setup)
    } catch {
      peer.end()
      throw error
    }
  }

  /// A server that runs already keeps its settings, and its entries, which a run would evict.
  private func checkAddress(_ setup: CacheSetup) throws(ProcessCacheError) {
    // A proxy does not say.
    guard let address = peer.spec.address, !peer.spec.server.isProxy else { return }
    let state = try state()
    func fail(_ reason: String) -> ProcessCacheError {
      .system(what: address, reason: "\(state.version) \(reason)")
    }
    if let capacity = state.capacity, capacity != setup.memoryCapacity {
      guard capacity > 0 else { throw fail("has no 'maxmemory', and evicts nothing: set it") }
      throw fail(
        "is set to a capacity of \(capacity) bytes, and this cell has \(setup.memoryCapacity): "
          + "set 'capacities: \(capacity)B'")
    }
    if let entries = state.entries, entries > 0 {
      throw fail(
        "holds \(NumberText.counted(Int(clamping: entries), "key")), which a run may evict: use an "
          + "empty one, or leave out 'address', and Larder starts its own")
    }
  }

  private func name(_ key: UInt64) -> String {
    let digits = String(key ^ run, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  func get(_ key: UInt64) throws -> CacheAnswer? {
    let connection = try taken()
    let value = try connection.get(name(key))
    if value == nil, peer.spec.server.isProxy {
      waiting.withLock { $0[key, default: []].append(connection) }
    } else {
      free.withLock { $0.append(connection) }
    }
    return value.map { CacheAnswer($0, from: peer.spec.server.kind == .disk ? .disk : .memory) }
  }

  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws {
    let connection = try waiting.withLock { $0[key]?.popLast() } ?? taken()
    if run != 0, !peer.spec.server.isProxy { written.withLock { _ = $0.insert(key) } }
    let isStored = try connection.set(
      value, for: name(key), microseconds: options.timeToLiveMicroseconds)
    free.withLock { $0.append(connection) }
    if !isStored { refused.withLock { $0 = ($0.count + 1, max($0.bytes, value.count)) } }
  }

  func remove(_ key: UInt64) throws {
    let connection = try taken()
    try connection.remove(name(key))
    free.withLock { $0.append(connection) }
  }

  func expire(_ key: UInt64, _ options: CacheWriteOptions) throws {
    if peer.spec.server.isProxy { return try remove(key) }
    if let answer = try get(key) { try set(answer.value, for: key, options) }
  }

  /// The server's own statistics.
  func state() throws(ProcessCacheError) -> ServerState {
    let connection = try taken()
    let state = try connection.state()
    free.withLock { $0.append(connection) }
    return state
  }

  /// Findings for the report.
  var notes: [String] {
    let refused = refused.withLock { $0 }
    guard refused.count > 0 else { return [] }
    return [
      "\(peer.name) refused \(NumberText.counted(refused.count, "value")), the largest of "
        + "\(NumberText.grouped(UInt64(refused.bytes))) bytes: it stores values below 1 MiB."
    ]
  }

  func close() {
    let keys = written.withLock { $0 }
    // One that failed is not free any more.
    if !keys.isEmpty, let connection = (try? taken()) ?? (try? peer.connection(0)) {
      for key in keys {
        do { try connection.remove(name(key)) } catch { break }
      }
    }
    free.withLock { $0.removeAll() }
    peer.end()
  }

  /// A free connection, of which there is one for each thread. One that fails is not reused.
  private func taken() throws(ProcessCacheError) -> any ServerConnection {
    guard let connection = free.withLock({ $0.popLast() }) else { throw peer.ended() }
    return connection
  }
}

extension CacheContender {
  static let servers = CacheServer.allCases.map { server in
    CacheContender(
      name: server.rawValue,
      summary: "\(server.title), started from PATH on a private socket, or at its 'address'; its "
        + "counts are compared with their simulation",
      kinds: [server.kind], runsPolicies: true
    ) { try ServerCache($0) }
  }
}

/// Programs and their arguments.
extension CacheServer {
  var title: String {
    switch self {
    case .redis: "Redis"
    case .memcached: "memcached"
    case .nginx: "nginx"
    case .varnish: "Varnish"
    }
  }

  /// The program, and Debian's package.
  var program: (name: String, package: String) {
    switch self {
    case .redis: ("redis-server", "redis-server")
    case .memcached: ("memcached", "memcached")
    case .nginx: ("nginx", "nginx")
    case .varnish: ("varnishd", "varnish")
    }
  }

  /// Arguments for connections over the socket of each thread, or a socket for all.
  fileprivate func arguments(
    _ spec: ServerSpec, _ setup: CacheSetup, in folder: String
  ) throws -> [String] {
    let (capacity, isRoot) = (setup.memoryCapacity, getuid() == 0)
    let least: UInt64 = self == .memcached ? 2 : self == .varnish ? 1 : 0
    guard capacity >= least << 20 else {
      throw ProcessCacheError.launch(
        program: title,
        reason: "it needs at least \(least) MiB, and the capacity is \(capacity) bytes")
    }
    switch self {
    case .redis:
      return [
        "--port", "0", "--unixsocket", "\(folder)/socket", "--unixsocketperm", "700",
        "--dir", folder, "--save", "", "--appendonly", "no", "--daemonize", "no",
        "--maxmemory", "\(capacity)", "--maxmemory-policy", spec.policy,
      ]
    case .memcached:
      return ["-s", "\(folder)/socket", "-a", "0700", "-m", "\(capacity >> 20)"]
        + (isRoot ? ["-u", "root"] : [])
    case .nginx:
      let file = "\(folder)/nginx.conf"
      try nginx(setup, in: folder, isRoot: isRoot)
        .write(toFile: file, atomically: false, encoding: .utf8)
      return ["-e", "stderr", "-p", folder, "-c", file]
    case .varnish:
      let file = "\(folder)/larder.vcl"
      try varnish(setup, in: folder).write(toFile: file, atomically: false, encoding: .utf8)
      let sockets = (0..<max(1, setup.threads)).flatMap { ["-a", "s\($0)=\(folder)/socket\($0)"] }
      // A simulation knows no use of expired objects. The log in memory has 80 MB by default.
      let parameters = ["default_grace=0", "default_keep=0", "vsl_space=1M"]
      return ["-F", "-j", "none", "-T", "none", "-n", "\(folder)/varnish", "-f", file]
        + ["-s", "default=malloc,\(capacity)"] + sockets + parameters.flatMap { ["-p", $0] }
    }
  }

  private func nginx(_ setup: CacheSetup, in folder: String, isRoot: Bool) -> String {
    let servers = (0..<max(1, setup.threads)).map { index in
      """
        server {
          listen "unix:\(folder)/socket\(index)";
          location = / { return 204; }
          location / { proxy_pass "http://unix:\(folder)/origin\(index):"; }
        }
      """
    }
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
      "  \($0)_temp_path \"\(folder)/\($0)\";"
    }
    return """
      daemon off;
      pid "\(folder)/pid";
      error_log stderr error;
      \(isRoot ? "user root;" : "")
      events { worker_connections 1024; }
      http {
        access_log off;
        keepalive_timeout 1d;
        keepalive_requests 1000000000;
      \(temporary.joined(separator: "\n"))
        proxy_cache_path "\(setup.folder)/cache" keys_zone=larder:256m use_temp_path=off
          max_size=\(setup.memoryCapacity);
        proxy_cache larder;
        proxy_cache_key $uri;
        add_header X-Cache-Status $upstream_cache_status;
      \(servers.joined(separator: "\n"))
      }

      """
  }

  private func varnish(_ setup: CacheSetup, in folder: String) -> String {
    let places = 0..<max(1, setup.threads)
    let backends = places.map { "backend b\($0) { .path = \"\(folder)/origin\($0)\"; }" }
    let choice = places.map {
      "  if (local.socket == \"s\($0)\") { set req.backend_hint = b\($0); }"
    }
    return """
      vcl 4.1;
      \(backends.joined(separator: "\n"))
      sub vcl_recv {
        if (req.url == "/") { return (synth(204)); }
      \(choice.joined(separator: "\n"))
      }

      """
  }

  /// Name and version by the fields of an answer.
  fileprivate func version(_ fields: [String: Substring]) -> String? {
    switch self {
    case .redis, .memcached: nil
    case .nginx: fields["server"]?.firstMatch(of: /nginx\/([0-9.]+)/).map { "nginx \($0.1)" }
    case .varnish: fields["via"]?.firstMatch(of: /Varnish\/([0-9.]+)/).map { "Varnish \($0.1)" }
    }
  }
}

/// The server's end of the connections.
final class ServerPeer: ProcessPeer, Sendable {
  let spec: ServerSpec
  let name: String
  // Those of a socket for each thread end with its number.
  private let address: String
  private let child: ChildProgram?
  // Sockets of a proxy's origins.
  private let origins: [Int32]
  private let files: String
  private let seen = Locked((answers: UInt64(0), version: String?.none, hits: UInt64?.none))
  // The server ends when the first is closed, which the system does when this process ends; the
  // others are sockets of a proxy's origins.
  private let open: Locked<[Int32]>

  var timeoutSeconds: UInt32 { spec.timeoutSeconds }

  /// The parent of the server: ends it when standard input ends, and removes both folders then.
  private static let keeper = """
    own=$1 run=$2; shift 2; exec 3<&0 </dev/null
    clean() { n=0; until rm -rf "$own" "$run" || [ $n -ge 99 ]; do sleep 0.1; n=$((n + 1)); done; }
    "$@" >&2 3<&- & server=$!
    { read -r _ <&3; : >"$own/end"; kill $server; n=0
      while [ $n -lt 30 ]; do sleep 0.1; n=$((n + 1)); done
      kill -9 $server; clean; } 2>/dev/null & watch=$!
    exec 3<&-; wait $server; status=$?; kill -9 $watch
    { [ ! -e "$own/end" ] || { clean; rmdir "${run%/*}"; }; } 2>/dev/null
    exit $status
    """

  init(_ spec: ServerSpec, _ setup: CacheSetup) throws(ProcessCacheError) {
    self.spec = spec
    files = "\(setup.folder)/cache"
    if let address = spec.address {
      (name, self.address, child) = (address, address, nil)
      if spec.origin != nil, setup.threads > 1 {
        throw .system(what: address, reason: "a proxy that runs already has one thread's origin")
      }
      var origins: [Int32] = []
      if let origin = spec.origin { origins.append(try LocalSocket.listening(on: origin)) }
      self.origins = origins
      open = Locked(origins)
      return
    }
    let (standard, package) = spec.server.program
    let program = spec.program ?? standard
    name = standard
    guard let path = Self.path(of: program) else {
      throw .launch(
        program: program, reason: "it is not installed: apt-get install \(package), or 'address'")
    }
    let child: ChildProgram
    do { child = try ChildProgram() } catch {
      throw .system(what: NSTemporaryDirectory(), reason: error.localizedDescription)
    }
    address = "\(child.folder)/socket"
    var origins: [Int32] = []
    if spec.server.isProxy {
      for index in 0..<max(1, setup.threads) {
        origins.append(try LocalSocket.listening(on: "\(child.folder)/origin\(index)"))
      }
    }
    self.origins = origins
    let ends = try LocalSocket.pair()
    defer { Foundation.close(ends.theirs) }
    do {
      let arguments = try spec.server.arguments(spec, setup, in: child.folder)
      try child.start(
        URL(fileURLWithPath: "/bin/sh"),
        ["-c", Self.keeper, "larder", child.folder, setup.folder, path] + arguments,
        input: FileHandle(fileDescriptor: ends.theirs, closeOnDealloc: false),
        output: FileHandle.nullDevice)
    } catch {
      for descriptor in origins + [ends.ours] { Foundation.close(descriptor) }
      throw error as? ProcessCacheError
        ?? .launch(program: program, reason: error.localizedDescription)
    }
    self.child = child
    open = Locked([ends.ours] + origins)
  }

  /// Administrators' programs are not on the PATH of others.
  static func path(of program: String) -> String? {
    if program.contains("/") { return program }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return (folders.map(String.init) + ["/usr/sbin", "/usr/local/sbin"]).map { "\($0)/\(program)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// A thread's connection to the server once it answers.
  func connection(_ index: Int) throws(ProcessCacheError) -> any ServerConnection {
    let end = ContinuousClock.now + .seconds(timeoutSeconds)
    let place = child == nil || origins.isEmpty ? address : "\(address)\(index)"
    while ContinuousClock.now < end {
      guard child?.isRunning ?? true else { throw ended() }
      if let descriptor = try LocalSocket.connected(to: place) {
        let lines = ProcessConnection(descriptor, of: self)
        let connection: any ServerConnection =
          switch spec.server {
          case .redis: RedisConnection(lines, policy: spec.policy)
          case .memcached: MemcachedConnection(lines)
          case .nginx, .varnish:
            ProxyConnection(lines, at: place, origin: origins[index], of: self)
          }
        if child != nil || !spec.server.isProxy { try connection.greet() }
        return connection
      }
      guard child != nil else { throw .system(what: name, reason: "no server listens there") }
      usleep(2000)
    }
    throw silent("listen on its socket")
  }

  /// Learns from the fields of an answer.
  func note(_ fields: [String: Substring]) {
    let isHit = fields["x-cache-status"].map { $0 == "HIT" }
    seen.withLock { seen in
      seen.answers += 1
      if seen.version == nil { seen.version = spec.server.version(fields) }
      if let isHit { seen.hits = (seen.hits ?? 0) + (isHit ? 1 : 0) }
    }
  }

  /// Statistics of a proxy's answers, of nginx's files, and Varnish's own.
  func proxyState() throws(ProcessCacheError) -> ServerState {
    let seen = seen.withLock { $0 }
    var state = ServerState(version: seen.version ?? spec.server.title, hits: seen.hits)
    guard let child else { return state }
    if spec.server == .nginx {
      (state.entries, state.bytes) = (0, 0)
      let found = FileManager.default.enumerator(atPath: files)
      while found?.nextObject() != nil {
        // It may be deleted meanwhile.
        guard let file = found?.fileAttributes, let bytes = file[.size] as? UInt64,
          file[.type] as? FileAttributeType == .typeRegular
        else { continue }
        state.entries = (state.entries ?? 0) + 1
        state.bytes = (state.bytes ?? 0) + (bytes + 4095) / 4096 * 4096
      }
      return state
    }
    // Its threads add up their counts when they are idle.
    for _ in 0..<50 {
      let facts = ServerFacts(
        Self.output(of: "varnishstat", ["-n", "\(child.folder)/varnish", "-1"]), separator: " ")
      func number(_ name: Substring) -> UInt64? {
        facts[name].flatMap { UInt64($0.prefix { $0.isNumber }) }
      }
      (state.entries, state.bytes) = (number("MAIN.n_object"), number("SMA.default.g_bytes"))
      (state.hits, state.evictions) = (number("MAIN.cache_hit"), number("MAIN.n_lru_nuked"))
      if let bytes = state.bytes {
        state.capacity = number("SMA.default.g_space").map { $0 + bytes }
      }
      guard let hits = state.hits, let misses = number("MAIN.cache_miss"),
        hits + misses < seen.answers
      else { break }
      usleep(20_000)
    }
    return state
  }

  private static func output(of program: String, _ arguments: [String]) -> String {
    guard let path = path(of: program) else { return "" }
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    (process.standardOutput, process.standardError) = (pipe, FileHandle.nullDevice)
    guard (try? process.run()) != nil else { return "" }
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  func end() {
    let descriptors = open.withLock { open in
      defer { open = [] }
      return open
    }
    for descriptor in descriptors { Foundation.close(descriptor) }
    if let origin = spec.origin, origin.contains("/"), !descriptors.isEmpty { unlink(origin) }
    guard let child, !descriptors.isEmpty else { return }
    if !child.ends(within: 5) { child.terminate() }
    child.killGroup()
  }

  func ended() -> ProcessCacheError {
    guard let child, child.ends(within: 1) else {
      return .system(what: name, reason: "it closed the connection" + said)
    }
    // A shell adds 128 to the number of a signal.
    let status = child.status
    return .ended(
      program: name, status: status > 128 ? "by signal \(status - 128)" : "with status \(status)",
      said: child.lastLine)
  }

  func silent(_ what: String) -> ProcessCacheError {
    .system(what: name, reason: "it did not \(what) within \(timeoutSeconds) s" + said)
  }

  private var said: String {
    guard let line = child?.lastLine, !line.isEmpty else { return "" }
    return "; its last line: \(line)"
  }
}

/// The memory that a server takes, by its own statistics.
package struct ServerCalibration {
  private static let count: UInt64 = 8000

  /// For readers; the last one is for workloads.
  package let lines: [String]

  /// Starts a server, fills it and ends it.
  package init(_ server: CacheServer) throws {
    // The first values only fill buffers.
    let values: [UInt64] = [64, 64, 1000]
    let states = try Self.states(of: server, capacity: 64 << 20, values)
    let bytes: [UInt64] = states.compactMap { $0.bytes }
    guard bytes.count == states.count else {
      throw ProcessCacheError.system(what: server.title, reason: "it has no statistics of memory")
    }
    var taken: [(value: UInt64, bytes: Double)] = []
    for index in values.indices.dropFirst() {
      let (before, after) = (Self.count * UInt64(index), Self.count * UInt64(index + 1))
      let table = server == .redis ? Self.table(after) - Self.table(before) : 0
      let more = bytes[index] - min(bytes[index], bytes[index - 1] + table)
      taken.append((values[index], Double(more) / Double(Self.count)))
    }
    let own = try Self.policy(of: server, taken)
    var lines = [states[0].version]
    for entry in taken {
      let real = NumberText.fixed(entry.bytes, decimals: 1) ?? ""
      let simulated = try Self.simulated(own, entry.value)
      lines.append(
        "an entry with a value of \(entry.value) bytes: \(real) bytes, simulated \(simulated)")
    }
    self.lines = lines + ["policies: [\"\(own)\"]"]
  }

  /// Bytes of Redis's table of pointers.
  private static func table(_ keys: UInt64) -> UInt64 {
    8 << UInt64(64 - (keys - 1).leadingZeroBitCount)
  }

  /// Its statistics after `count` values of each size.
  private static func states(
    of server: CacheServer, capacity: UInt64, _ values: [UInt64]
  ) throws -> [ServerState] {
    let own = NSTemporaryDirectory() + "larder-\(UUID().uuidString)"
    let folder = "\(own)/run"
    defer { try? FileManager.default.removeItem(atPath: own) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let tier = TierSetup(
      policy: try PolicySpec(parsing: server.policies[0].value), capacity: capacity)
    var setup = CacheSetup(
      simulation: SimulationSetup(arrangement: .memory(tier), unit: .bytes),
      execution: ExecutionSpec(), threads: 1, folder: folder, clock: TraceClock())
    setup.server = ServerSpec(server)
    let cache = try ServerCache(setup)
    defer { cache.close() }
    var states: [ServerState] = []
    for (index, size) in values.enumerated() {
      let first = UInt64(index) * count
      for key in first..<(first + count) where try cache.get(key) == nil {
        try cache.set(Data(count: Int(size)), for: key, CacheWriteOptions())
      }
      states.append(try cache.state())
    }
    return states
  }

  private static func simulated(_ spec: PolicySpec, _ size: UInt64) throws -> UInt32 {
    let description = try PolicyRegistry.policy(named: spec).description
    return try EntryMemory.sizes(of: spec, description)?(UInt32(size)) ?? UInt32(size)
  }

  /// The policy that simulates a server with these entries.
  private static func policy(
    of server: CacheServer, _ taken: [(value: UInt64, bytes: Double)]
  ) throws -> PolicySpec {
    let name = server.policies[0].value
    switch server {
    case .redis:
      func error(_ spec: PolicySpec) throws -> Double {
        var sum = 0.0
        for entry in taken { sum += abs(Double(try simulated(spec, entry.value)) - entry.bytes) }
        return sum
      }
      let specs = try [16, 8].map { try PolicySpec(parsing: "\(name):quantum=\($0)") }
      let spec = try error(specs[0]) <= error(specs[1]) ? specs[0] : specs[1]
      // The rest of a full server.
      let capacity: UInt64 = 2 << 20
      let entries = try states(of: server, capacity: capacity, [64])[0].entries ?? 0
      let used = entries * UInt64(try simulated(spec, 64)) + (entries > 1 ? table(entries) : 0)
      return try PolicySpec(parsing: "\(spec):empty=\(capacity - min(capacity, used))")
    case .varnish:
      // 120 bytes of the object itself.
      let headers = max(0, Int(taken[0].bytes) - Int(taken[0].value) - 120)
      return try PolicySpec(parsing: "\(name):key=\(headers)")
    case .memcached, .nginx: return try PolicySpec(parsing: name)
    }
  }
}
