import Foundation
import LarderEngine
import LarderTraces
import TestSupport
import Testing

@testable import LarderCommands

/// Recordings of real servers, compared with their clients' requests.
@Suite(.endsInTime, .serialized)
struct TraceRecordCommandTests {
  private static let hasRedis = ServerProgram.path("redis-server") != nil
  private static let hasMemcached = ServerProgram.path("memcached") != nil

  private func startRedis(_ folder: ScratchFolder, _ more: [String] = []) throws -> ServerProgram {
    let port = try ServerProgram.freePort()
    return try ServerProgram(
      "redis-server",
      ["--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--dir", folder.folder.path]
        + more, port: port)
  }

  private func startMemcached() throws -> ServerProgram {
    let port = try ServerProgram.freePort()
    return try ServerProgram(
      "memcached", ["-u", "nobody", "-l", "127.0.0.1", "-p", "\(port)", "-U", "0"], port: port)
  }

  /// Runs larder while `body` is called.
  private func larder(
    _ arguments: [String], in folder: ScratchFolder, environment: [String: String] = [:],
    meanwhile body: () throws -> Void
  ) throws -> LarderProcess {
    let result = Locked<Result<LarderProcess, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    let url = folder.folder
    Thread.detachNewThread {
      let run = Result { try LarderProcess(arguments, in: url, environment: environment) }
      result.withLock { $0 = run }
      done.signal()
    }
    let failure = Result { try body() }
    done.wait()
    try failure.get()
    return try #require(result.withLock { $0 }).get()
  }

  /// Sends a request until the answer shows that the server is being monitored.
  private func wait(
    _ client: TCPConnection, _ command: String, _ end: String, _ sign: String
  ) throws {
    let limit = Date() + 60
    while Date() < limit {
      client.send(command)
      if client.receive(until: { $0.hasSuffix(end) }).contains(sign) { return }
      usleep(20_000)
    }
    throw ServerProgram.Failed(reason: "nobody watches")
  }

  private func waitForMonitor(_ client: TCPConnection) throws {
    try wait(client, "CLIENT LIST\r\n", "\n\r\n", "cmd=monitor")
  }

  private func askRedis(_ port: UInt16) throws {
    let client = try TCPConnection(port: port)
    try waitForMonitor(client)
    func ask(_ command: String) {
      client.send(command + "\r\n")
      _ = client.receive { $0.hasSuffix("\r\n") }
    }
    for round in 0..<50 {
      ask("GET user:\(round % 7)")
      ask("SET user:\(round % 7) \(String(repeating: "v", count: 10 + round % 7)) EX 30")
      ask("MGET user:1 user:2")
    }
    ask("DEL user:1")
  }

  @Test(.enabled(if: hasRedis, "needs the package redis-server"))
  func redis() throws {
    let folder = try ScratchFolder()
    let server = try startRedis(folder)
    let run = try larder(
      [
        "trace", "record", "--redis", "127.0.0.1:\(server.port)", "--requests", "201",
        "a.recorded",
      ], in: folder
    ) { try askRedis(server.port) }
    #expect(run.exitCode == 0 && run.notes.contains("a.recorded: 201 requests"), "\(run.notes)")
    let path = folder.url("a.recorded").path
    let bytes = try Data(contentsOf: folder.url("a.recorded"))
    #expect(bytes.range(of: Data("user".utf8)) == nil && bytes.range(of: Data("vvv".utf8)) == nil)
    let trace = try PreparedTrace.load(path: path)
    #expect(trace.requests.count == 201 && trace.requests.objects == 7)
    let operations = (0..<201).compactMap { trace.requests.operations?[$0] }
    #expect(operations.count { $0 == 0 } == 150 && operations.count { $0 == 1 } == 50)
    #expect(operations.last == Operation.delete.rawValue)
    #expect(trace.requests.ttls?[1] == 30 && trace.requests.sizes?[1] == 16)
    let info = try LarderProcess(["trace", "info", "a.recorded", "--quiet"], in: folder.folder)
    #expect(info.output.contains("a.recorded (recorded)") && !info.output.contains("stopped"))
  }

  @Test(.enabled(if: hasRedis, "needs the package redis-server"))
  func rawLines() throws {
    let folder = try ScratchFolder()
    let server = try startRedis(folder)
    let run = try larder(
      [
        "trace", "record", "--redis", "127.0.0.1:\(server.port)", "--for", "4s", "--raw", "--quiet",
        "a.log",
      ], in: folder
    ) { try askRedis(server.port) }
    #expect(run.exitCode == 0 && run.notes.isEmpty, "\(run.notes)")
    let trace = try PreparedTrace.load(path: folder.url("a.log").path)
    #expect(trace.requests.count == 201 && trace.requests.objects == 7)
  }

  @Test(.enabled(if: hasRedis, "needs the package redis-server"))
  func passwords() throws {
    let folder = try ScratchFolder()
    let server = try startRedis(folder, ["--requirepass", "open sesame"])
    try folder.write("wrong\n", to: "wrong")
    try folder.write("open sesame\n", to: "right")
    let words = [
      "trace", "record", "--redis", "127.0.0.1:\(server.port)", "--for", "1s", "--quiet",
    ]
    let none = try LarderProcess(words + ["a"], in: folder.folder)
    #expect(none.exitCode == 1 && none.notes.contains("give it with --password-file"))
    let wrong = try LarderProcess(words + ["--password-file", "wrong", "a"], in: folder.folder)
    #expect(wrong.exitCode == 1 && wrong.notes.contains("refused the password"), "\(wrong.notes)")
    #expect(none.noteLines.count == 1 && wrong.noteLines.count == 1)
    #expect(!folder.files.contains("a"))
    let right = try LarderProcess(words + ["--password-file", "right", "a"], in: folder.folder)
    #expect(right.exitCode == 0, "\(right.notes)")
    let named = try LarderProcess(
      words + ["--user", "default", "b"], in: folder.folder,
      environment: ["LARDER_PASSWORD": "open sesame"])
    #expect(named.exitCode == 0, "\(named.notes)")
  }

  @Test(.enabled(if: hasMemcached, "needs the package memcached"))
  func memcached() throws {
    let folder = try ScratchFolder()
    let server = try startMemcached()
    let run = try larder(
      ["trace", "record", "--memcached", "127.0.0.1:\(server.port)", "--requests", "101", "a"],
      in: folder
    ) {
      let client = try TCPConnection(port: server.port)
      try wait(client, "stats conns\r\n", "END\r\n", "conn_watch")
      func ask(_ command: String, _ end: String) {
        client.send(command)
        _ = client.receive { $0.hasSuffix(end) }
      }
      for round in 0..<50 {
        ask("get user\(round % 7)\r\n", "END\r\n")
        let value = String(repeating: "v", count: 10 + round % 7)
        ask("set user\(round % 7) 0 30 \(value.count)\r\n\(value)\r\n", "STORED\r\n")
      }
      ask("get last\r\n", "END\r\n")
      // The decoder waits for the client's request after a get.
      ask("get other\r\n", "END\r\n")
    }
    #expect(run.exitCode == 0, "\(run.notes)")
    let trace = try PreparedTrace.load(path: folder.url("a").path)
    #expect(trace.requests.count == 101 && trace.requests.objects == 8)
    let operations = (0..<101).compactMap { trace.requests.operations?[$0] }
    #expect(operations.count { $0 == 0 } == 51 && operations.count { $0 == 1 } == 50)
    #expect(trace.requests.ttls?[1] == 30 && trace.requests.sizes?[1] == 15)
  }

  @Test(.enabled(if: hasRedis, "needs the package redis-server"))
  func recordingIsKeptWhenTheServerExits() throws {
    let folder = try ScratchFolder()
    let server = try startRedis(folder)
    let run = try larder(
      ["trace", "record", "--redis", "127.0.0.1:\(server.port)", "--for", "600s", "--quiet", "a"],
      in: folder
    ) {
      try askRedis(server.port)
      server.stop()
    }
    #expect(run.exitCode == 1 && run.noteLines.count == 1)
    #expect(run.notes.contains("connection lost") && run.notes.contains("201 requests are in a"))
    #expect(try PreparedTrace.load(path: folder.url("a").path).requests.count == 201)
  }

  @Test(.enabled(if: hasRedis, "needs the package redis-server"))
  func signalEndsTheRecordingCleanly() throws {
    let folder = try ScratchFolder()
    let server = try startRedis(folder)
    let program = try LarderProcess.executable().path
    let script =
      "'\(program)' trace record --redis 127.0.0.1:\(server.port) --for 600s a & p=$!; "
      + "while [ ! -e asked ]; do sleep 0.05; done; kill -TERM $p; wait $p; echo code $?"
    let result = Locked<LarderProcess?>(nil)
    let done = DispatchSemaphore(value: 0)
    let url = folder.folder
    Thread.detachNewThread {
      let run = try? LarderProcess(shell: script, in: url)
      result.withLock { $0 = run }
      done.signal()
    }
    let asked = Result { try askRedis(server.port) }
    // Gives the recorder a second to read the requests.
    sleep(1)
    try folder.write("", to: "asked")
    done.wait()
    try asked.get()
    let run = try #require(result.withLock { $0 })
    #expect(run.output.contains("code 0") && run.notes.contains("interrupted"), "\(run.notes)")
    let trace = try PreparedTrace.load(path: folder.url("a").path)
    #expect(trace.requests.count == 201 && trace.notes.allSatisfy { !$0.contains("stopped") })
  }

  @Test func unreachableServerIsAnError() throws {
    let folder = try ScratchFolder()
    let port = try ServerProgram.freePort()
    let closed = try LarderProcess(
      ["trace", "record", "--redis", "127.0.0.1:\(port)", "--quiet", "a"], in: folder.folder)
    #expect(closed.exitCode == 1 && closed.notes.contains("cannot connect"), "\(closed.notes)")
    let unknown = try LarderProcess(
      ["trace", "record", "--memcached", "host.invalid", "--quiet", "a"], in: folder.folder)
    #expect(unknown.exitCode == 1 && unknown.notes.contains("host.invalid:11211: unknown host"))
    #expect(closed.noteLines.count == 1 && unknown.noteLines.count == 1 && folder.files.isEmpty)
  }

  @Test(
    arguments: [
      ([], "expected one of --redis and --memcached"),
      (["--redis", "a", "--memcached", "b"], "expected one of --redis and --memcached"),
      (["--redis", "a:b"], "--redis"), (["--redis", "a", "--for", "0s"], "--for expects a time"),
      (["--redis", "a", "--for", "soon"], "--for expects a time"),
      (["--redis", "a", "--requests", "0"], "--requests expects a number above 0"),
      (["--redis", "a", "--sampling", "0%"], "--sampling expects a share"),
      (["--redis", "a", "--sampling", "10%", "--raw"], "exclude each other"),
      (["--redis", "a", "--user", "u"], "--user needs a password"),
      (["--redis", "a", "--password-file", "missing"], "cannot be read"),
    ] as [([String], String)])
  func misuse(_ words: [String], _ message: String) throws {
    let folder = try ScratchFolder()
    let run = try LarderProcess(["trace", "record"] + words + ["x"], in: folder.folder)
    #expect(run.exitCode == 2 && run.notes.contains(message), "\(run.notes)")
    #expect(folder.files.isEmpty)
  }

  @Test func existingFileIsNeverOverwritten() throws {
    let folder = try ScratchFolder()
    try folder.write("precious", to: "a")
    let run = try LarderProcess(
      ["trace", "record", "--redis", "127.0.0.1:1", "a"], in: folder.folder)
    #expect(run.exitCode == 2 && run.notes.contains("a: exists"))
    #expect(try String(contentsOf: folder.url("a"), encoding: .utf8) == "precious")
  }

  @Test(
    arguments: [
      ("localhost", "localhost", nil), ("localhost:6379", "localhost", 6379),
      ("[::1]:7", "::1", 7), ("[::1]", "::1", nil), ("10.0.0.1:65535", "10.0.0.1", 65_535),
    ] as [(String, String, UInt16?)])
  func addresses(_ text: String, _ host: String, _ port: UInt16?) {
    let address = ServerAddress(argument: text)
    #expect(address?.host == host && address?.port == port)
  }

  @Test(arguments: [
    "", ":1", "a:", "a:0", "a:65536", "a:x", "::1", "[::1", "[::1]7", "a b", "a:-1",
  ])
  func invalidAddressIsAnError(_ text: String) {
    #expect(ServerAddress(argument: text) == nil)
  }
}
