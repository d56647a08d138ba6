import Foundation
import Larder
import LarderEngine
import LarderExperiments
import LarderSupport

/// A server under test. It is started on a socket in a private folder and ends with this process,
/// or runs already at an address. Each thread has a connection.
final class ServerCache: CacheUnderTest, @unchecked Sendable {
  private let peer: ServerPeer
  private let free: Locked<[ProcessConnection]>
  private let refused = Locked((count: 0, bytes: 0))
  // Of this run, at an address, whose entries are not those of an earlier one.
  private let run: UInt64

  init(_ setup: CacheSetup) throws(ProcessCacheError) {
    guard let spec = setup.server else { throw .noCommand }
    peer = try ServerPeer(spec, setup)
    run = spec.address == nil ? 0 : .random(in: 1...UInt64.max)
    do throws(ProcessCacheError) {
      var connections: [ProcessConnection] = []
      for _ in 0..<max(1, setup.threads) { connections.append(try peer.connection()) }
      free = Locked(connections)
      try checkCapacity(setup)
    } catch {
      peer.end()
      throw error
    }
  }

  /// The capacity of a server that runs already is its own.
  private func checkCapacity(_ setup: CacheSetup) throws(ProcessCacheError) {
    guard let address = peer.spec.address else { return }
    let state = try state()
    guard state.capacity != setup.memoryCapacity else { return }
    throw .system(
      what: address,
      reason: "\(state.version) is set to a capacity of \(state.capacity) bytes, and this cell has "
        + "\(setup.memoryCapacity): set 'capacities: \(state.capacity)B'")
  }

  private func name(_ key: UInt64) -> String {
    let digits = String(key ^ run, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  func get(_ key: UInt64) throws -> CacheAnswer? {
    try asking { connection throws(ProcessCacheError) in
      switch peer.spec.server {
      case .redis: try connection.redisGet(name(key))
      case .memcached: try connection.get(name(key))
      }
    }.map { CacheAnswer($0) }
  }

  func set(_ value: Data, for key: UInt64, _ options: CacheWriteOptions) throws {
    let life = options.timeToLiveMicroseconds
    try asking { connection throws(ProcessCacheError) in
      switch peer.spec.server {
      case .redis:
        // Redis refuses times beyond its 64 bits.
        let milliseconds = min(life / 1000 + (life % 1000 == 0 ? 0 : 1), 1 << 53)
        try connection.redisSet(value, for: name(key), milliseconds: milliseconds)
      case .memcached:
        let isStored = try connection.set(
          value, for: name(key), seconds: ProcessCache.seconds(life))
        if !isStored { refused.withLock { $0 = ($0.count + 1, max($0.bytes, value.count)) } }
      }
    }
  }

  func remove(_ key: UInt64) throws {
    try asking { connection throws(ProcessCacheError) in
      switch peer.spec.server {
      case .redis: try connection.redisRemove(name(key))
      case .memcached: try connection.remove(name(key))
      }
    }
  }

  /// The server's own statistics.
  func state() throws(ProcessCacheError) -> ServerState {
    try asking { connection throws(ProcessCacheError) in
      switch peer.spec.server {
      case .redis: try connection.redisState()
      case .memcached: try connection.memcachedState()
      }
    }
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
    free.withLock { $0.removeAll() }
    peer.end()
  }

  /// Asks on a free connection, of which there is one for each thread. One that failed is not
  /// reused.
  private func asking<Answer>(
    _ body: (ProcessConnection) throws(ProcessCacheError) -> Answer
  ) throws(ProcessCacheError) -> Answer {
    guard let connection = free.withLock({ $0.popLast() }) else { throw peer.ended() }
    let answer = try body(connection)
    free.withLock { $0.append(connection) }
    return answer
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
    }
  }

  /// The program, and Debian's package.
  var program: (name: String, package: String) {
    switch self {
    case .redis: ("redis-server", "redis-server")
    case .memcached: ("memcached", "memcached")
    }
  }

  fileprivate func arguments(
    _ spec: ServerSpec, socket: String, folder: String, capacity: UInt64
  ) throws(ProcessCacheError) -> [String] {
    switch self {
    case .redis:
      return [
        "--port", "0", "--unixsocket", socket, "--unixsocketperm", "700", "--dir", folder,
        "--save", "", "--appendonly", "no", "--daemonize", "no",
        "--maxmemory", "\(capacity)", "--maxmemory-policy", spec.policy,
      ]
    case .memcached:
      guard capacity >= 2 << 20 else {
        throw .launch(
          program: title, reason: "it needs at least 2 MiB, and the capacity is \(capacity) bytes")
      }
      let user = getuid() == 0 ? ["-u", "root"] : []
      return ["-s", socket, "-a", "0700", "-m", "\(capacity >> 20)"] + user
    }
  }
}

/// The server's end of the connections.
final class ServerPeer: ProcessPeer, Sendable {
  let spec: ServerSpec
  let name: String
  private let address: String
  private let child: ChildProgram?
  // The server ends when it is closed, which the system does when this process ends.
  private let lifeline: Locked<Int32?>

  var timeoutSeconds: UInt32 { spec.timeoutSeconds }

  /// The parent of the server: ends it when standard input ends, and removes both folders then.
  private static let keeper = """
    own=$1 run=$2; shift 2; exec 3<&0 </dev/null
    "$@" >&2 3<&- & server=$!
    { read -r _ <&3; : >"$own/end"; kill $server; n=0
      while [ $n -lt 30 ]; do sleep 0.1; n=$((n + 1)); done
      kill -9 $server; rm -rf "$own" "$run"; } 2>/dev/null & watch=$!
    exec 3<&-; wait $server; status=$?; kill -9 $watch
    { [ ! -e "$own/end" ] || { rm -rf "$own" "$run"; rmdir "${run%/*}"; }; } 2>/dev/null
    exit $status
    """

  init(_ spec: ServerSpec, _ setup: CacheSetup) throws(ProcessCacheError) {
    self.spec = spec
    if let address = spec.address {
      (name, self.address, child, lifeline) = (address, address, nil, Locked(nil))
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
    let arguments = try spec.server.arguments(
      spec, socket: address, folder: child.folder, capacity: setup.memoryCapacity)
    let ends = try LocalSocket.pair()
    defer { Foundation.close(ends.theirs) }
    do {
      try child.start(
        URL(fileURLWithPath: "/bin/sh"),
        ["-c", Self.keeper, "larder", child.folder, setup.folder, path] + arguments,
        input: FileHandle(fileDescriptor: ends.theirs, closeOnDealloc: false),
        output: FileHandle.nullDevice)
    } catch {
      Foundation.close(ends.ours)
      throw .launch(program: program, reason: error.localizedDescription)
    }
    self.child = child
    lifeline = Locked(ends.ours)
  }

  /// Administrators' programs are not on the PATH of others.
  static func path(of program: String) -> String? {
    if program.contains("/") { return program }
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return (folders.map(String.init) + ["/usr/sbin", "/usr/local/sbin"]).map { "\($0)/\(program)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// A connection to the server once it answers.
  func connection() throws(ProcessCacheError) -> ProcessConnection {
    let end = ContinuousClock.now + .seconds(timeoutSeconds)
    while ContinuousClock.now < end {
      guard child?.isRunning ?? true else { throw ended() }
      let descriptor = try LocalSocket.connected(to: address)
      if let descriptor {
        let connection = ProcessConnection(descriptor, of: self)
        switch spec.server {
        case .redis: try connection.redisGreet()
        case .memcached: _ = try connection.greet()
        }
        return connection
      }
      guard child != nil else {
        throw .system(what: name, reason: "no server listens there")
      }
      usleep(2000)
    }
    throw silent("listen on its socket")
  }

  func end() {
    guard let descriptor = lifeline.withLock({ $0.take() }) else { return }
    Foundation.close(descriptor)
    if let child, !child.ends(within: 5) { child.terminate() }
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

/// Requests of Redis's protocol (RESP 2) and their answers, one at a time.
extension ProcessConnection {
  private func command(
    _ words: String..., value: Data? = nil
  ) throws(ProcessCacheError) -> Substring {
    var text = "*\(words.count + (value == nil ? 0 : 1))"
    for word in words { text += "\r\n$\(word.utf8.count)\r\n\(word)" }
    if let value { text += "\r\n$\(value.count)" }
    let answer = try ask(text, value)
    guard answer.hasPrefix("-") else { return answer }
    let reason = "it refused \(words[0]): \(answer.dropFirst().prefix(200))"
    guard answer.hasPrefix("-OOM") else { throw .system(what: peer.name, reason: reason) }
    throw .system(
      what: peer.name,
      reason: reason + " It evicts nothing, or its capacity is below the 1 MiB of an empty server.")
  }

  private func bulk(
    _ line: Substring, of request: String
  ) throws(ProcessCacheError) -> Data? {
    if line == "$-1" { return nil }
    guard line.hasPrefix("$"), let count = Int(line.dropFirst()),
      (0...Int(UInt32.max)).contains(count)
    else { throw peer.answered(line, to: request) }
    return try block(count)
  }

  fileprivate func redisGreet() throws(ProcessCacheError) {
    let answer = try command("PING")
    guard answer == "+PONG" else { throw peer.answered(answer, to: "PING") }
  }

  fileprivate func redisGet(_ key: String) throws(ProcessCacheError) -> Data? {
    try bulk(try command("GET", key), of: "GET \(key)")
  }

  fileprivate func redisSet(
    _ value: Data, for key: String, milliseconds: UInt64
  ) throws(ProcessCacheError) {
    let answer =
      milliseconds == 0
      ? try command("SET", key, value: value)
      : try command("PSETEX", key, "\(milliseconds)", value: value)
    guard answer == "+OK" else { throw peer.answered(answer, to: "SET \(key)") }
  }

  fileprivate func redisRemove(_ key: String) throws(ProcessCacheError) {
    let answer = try command("DEL", key)
    guard answer == ":0" || answer == ":1" else { throw peer.answered(answer, to: "DEL \(key)") }
  }

  fileprivate func redisState() throws(ProcessCacheError) -> ServerState {
    let text = try bulk(try command("INFO"), of: "INFO") ?? Data()
    let lines = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline).map {
      $0.split(separator: ":", maxSplits: 1)
    }
    let facts = Dictionary(
      lines.filter { $0.count == 2 }.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first }
    )
    // keys=7,expires=0,avg_ttl=0
    let keys = facts["db0"]?.split(separator: ",").first?.split(separator: "=").last ?? "0"
    return try state(
      facts["redis_version"].map { "Redis \($0)" }, keys, facts["used_memory"],
      facts["keyspace_hits"], facts["evicted_keys"], facts["maxmemory"], of: "INFO")
  }

  fileprivate func memcachedState() throws(ProcessCacheError) -> ServerState {
    var facts: [Substring: Substring] = [:]
    var line = try ask("stats")
    while line != "END" {
      let words = line.split(separator: " ")
      guard words.count >= 2, words[0] == "STAT" else { throw peer.answered(line, to: "stats") }
      facts[words[1]] = words.count > 2 ? words[2] : ""
      line = try self.line()
    }
    return try state(
      facts["version"].map { "memcached \($0)" }, facts["curr_items"], facts["bytes"],
      facts["get_hits"], facts["evictions"], facts["limit_maxbytes"], of: "stats")
  }

  private func state(
    _ version: String?, _ entries: Substring?, _ bytes: Substring?, _ hits: Substring?,
    _ evictions: Substring?, _ capacity: Substring?, of request: String
  ) throws(ProcessCacheError) -> ServerState {
    let numbers = [entries, bytes, hits, evictions, capacity].map { $0.flatMap { UInt64($0) } }
    guard let version, let entries = numbers[0], let bytes = numbers[1], let hits = numbers[2],
      let evictions = numbers[3], let capacity = numbers[4]
    else { throw peer.answered("statistics without the usual numbers", to: request) }
    return ServerState(
      version: version, entries: entries, bytes: bytes, hits: hits, evictions: evictions,
      capacity: capacity)
  }
}
