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

  /// Runs a script while `body` is called.
  private func shell(
    _ script: String, in folder: ScratchFolder, meanwhile body: () throws -> Void
  ) throws -> LarderProcess {
    let result = Locked<Result<LarderProcess, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    let url = folder.folder
    Thread.detachNewThread {
      let run = Result { try LarderProcess(shell: script, in: url) }
      result.withLock { $0 = run }
      done.signal()
    }
    let failure = Result { try body() }
    done.wait()
    try failure.get()
    return try #require(result.withLock { $0 }).get()
  }

  /// The words of a shell that connect to a port, send `command`, and record the answers.
  private static func record(_ command: String, _ port: UInt16, _ options: String) -> String {
    "exec bash -c 'exec 3<>/dev/tcp/127.0.0.1/\(port); printf \"\(command)\\r\\n\" >&3; "
      + "exec larder trace record - \(options) <&3'"
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

  /// Checks what `askRedis` asks.
  private func checkRedis(_ file: String, in folder: ScratchFolder) throws {
    let bytes = try Data(contentsOf: folder.url(file))
    #expect(bytes.range(of: Data("user".utf8)) == nil && bytes.range(of: Data("vvv".utf8)) == nil)
    let trace = try PreparedTrace.load(path: folder.url(file).path)
    // Every set is the end of the get before it.
    #expect(trace.requests.count == 151 && trace.requests.objects == 7)
    let operations = (0..<151).compactMap { trace.requests.operations?[$0] }
    #expect(operations.count { $0 == 0 } == 150)
    #expect(operations.last == Operation.delete.rawValue)
    #expect(trace.requests.ttls?[0] == 30 && trace.requests.sizes?[0] == 10)
    #expect(trace.notes.allSatisfy { !$0.contains("stopped") })
  }

  @Test(.enabled(if: hasRedis, "needs the package redis-server"))
  func redis() throws {
    let folder = try ScratchFolder()
    let server = try startRedis(folder)
    let run = try shell(
      Self.record("MONITOR", server.port, "a.recorded --requests 201"), in: folder
    ) { try askRedis(server.port) }
    #expect(run.exitCode == 0 && run.notes.contains("a.recorded: 201 requests"), "\(run.notes)")
    #expect(run.notes.contains("format: redis-monitor"))
    try checkRedis("a.recorded", in: folder)
    let info = try LarderProcess(["trace", "info", "a.recorded", "--quiet"], in: folder.folder)
    #expect(info.output.contains("a.recorded (recorded)") && !info.output.contains("stopped"))
  }

  /// The end of the input ends a recording.
  @Test(
    .enabled(
      if: hasRedis && ServerProgram.path("redis-cli") != nil, "needs redis-server, redis-cli"))
  func clientOfRedis() throws {
    let folder = try ScratchFolder()
    let server = try startRedis(folder)
    let run = try shell(
      "redis-cli -p \(server.port) monitor | larder trace record - a.recorded", in: folder
    ) {
      try askRedis(server.port)
      server.stop()
    }
    #expect(run.exitCode == 0, "\(run.notes)")
    try checkRedis("a.recorded", in: folder)
  }

  @Test(.enabled(if: hasMemcached, "needs the package memcached"))
  func memcached() throws {
    let folder = try ScratchFolder()
    let server = try startMemcached()
    let watch = "watch fetchers mutations evictions"
    let run = try shell(Self.record(watch, server.port, "a --requests 101"), in: folder) {
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
    // The first seven gets miss, and their sets are part of them.
    #expect(trace.requests.count == 94 && trace.requests.objects == 8)
    let operations = (0..<94).compactMap { trace.requests.operations?[$0] }
    #expect(operations.count { $0 == 0 } == 51 && operations.count { $0 == 1 } == 43)
    #expect(trace.requests.ttls?[0] == 30 && trace.requests.sizes?[0] == 10)
  }

  /// Lines of MONITOR: 60 gets of 6 keys, a second apart.
  private static let monitor = monitor(keys: 6)

  private static func monitor(keys: Int) -> String {
    "OK\n"
      + (0..<60).map {
        "17000000\($0 + 10).000001 [0 127.0.0.1:1] \"GET\" \"user:\($0 % keys)\"\n"
      }.joined()
  }

  @Test func logFileIsRecordedWithoutKeys() throws {
    let folder = try ScratchFolder()
    let unknown = #"1700000099.000001 [0 127.0.0.1:1] "SORT" "k""#
    try folder.write(Self.monitor + "rubbish\n\(unknown)\n", to: "m.log")
    // A file is made as a whole or not at all.
    let refused = try LarderProcess(
      ["trace", "record", "m.log", "a", "--quiet"], in: folder.folder)
    #expect(refused.exitCode == 2 && refused.notes.contains("m.log:62"), "\(refused.notes)")
    #expect(folder.files == ["m.log"])
    let run = try LarderProcess(
      ["trace", "record", "m.log", "a", "--format", "redis-monitor:max-bad=5%"], in: folder.folder)
    #expect(run.exitCode == 0 && run.notes.contains("a: 60 requests"), "\(run.notes)")
    #expect(run.notes.contains("format: redis-monitor"))
    #expect(run.notes.contains("1 lines could not be read"))
    #expect(run.notes.contains("1 lines were skipped: the command SORT"), "\(run.notes)")
    #expect(try Data(contentsOf: folder.url("a")).range(of: Data("user".utf8)) == nil)
    let trace = try PreparedTrace.load(path: folder.url("a").path)
    #expect(trace.requests.count == 60 && trace.requests.objects == 6)
    try folder.write(Self.monitor, to: "whole.log")
    let log = try PreparedTrace.load(path: folder.url("whole.log").path)
    #expect((0..<60).allSatisfy { trace.requests.ids[$0] == log.requests.ids[$0] })
  }

  @Test func standardInputEqualsFile() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.monitor, to: "m.log")
    let run = try LarderProcess(
      shell: "(head -n 20 m.log; sleep 0.3; tail -n +21 m.log) | larder trace record - a --quiet",
      in: folder.folder)
    #expect(run.exitCode == 0 && run.notes.isEmpty && run.output.isEmpty, "\(run.notes)")
    let trace = try PreparedTrace.load(path: folder.url("a").path)
    #expect(trace.requests.count == 60 && trace.requests.objects == 6)
  }

  @Test func requestsAndSampleLimitRecording() throws {
    let folder = try ScratchFolder()
    // The keys of a sample are chosen by a random hash: of 6 it would sometimes have none.
    try folder.write(Self.monitor(keys: 60), to: "m.log")
    for input in ["m.log", "- < m.log"] {
      let run = try LarderProcess(
        shell: "rm -f a b; larder trace record --requests 7 \(input) a.recorded --quiet && "
          + "larder trace record --sample 50% \(input) b.recorded --quiet && "
          + "larder trace info a.recorded --quiet; larder trace info b.recorded --quiet; "
          + "rm *.recorded",
        in: folder.folder)
      #expect(run.notes.isEmpty && run.output.contains("sample"), "\(run.output)\(run.notes)")
      #expect(run.output.contains(/requests +7\n/), "\(run.output)")
    }
  }

  /// A signal ends a recording as the end of its input does, with what has come in the file.
  @Test func signalCompletesRecording() throws {
    let folder = try ScratchFolder()
    try folder.write(Self.monitor, to: "m.log")
    let run = try LarderProcess(
      shell: """
        mkfifo pipe; larder trace record - a < pipe & p=$!
        exec 3> pipe; cat m.log >&3
        while [ ! -s a ]; do sleep 0.05; done
        kill -TERM $p; wait $p; echo code $?
        """, in: folder.folder)
    #expect(run.output.contains("code 0") && run.notes.contains("interrupted"), "\(run.notes)")
    let trace = try PreparedTrace.load(path: folder.url("a").path)
    #expect(trace.requests.count == 60 && trace.notes.allSatisfy { !$0.contains("stopped") })
  }

  @Test(
    arguments: [
      ("larder trace record - a < /dev/null", "-: is empty"),
      ("printf 'OK\\n' | larder trace record - a --format redis-monitor", "-: has no request"),
      ("printf 'OK\\n' | larder trace record - a", "-: is the answer OK of a server"),
      ("printf 'ERROR\\r\\n' | larder trace record - a", "cannot watch deletions"),
      (
        "printf 'what is this\\nand this\\n' | larder trace record - a",
        "cannot detect the trace format"
      ),
      ("larder trace record missing a", "missing"),
      ("larder trace record m.log no/a", "no/a"),
      ("larder trace record m.log m.log", "m.log: exists"),
      ("larder trace record m.log", "Missing expected argument"),
      ("larder trace record m.log a --requests 0", "expected a number above 0"),
      ("larder trace record m.log a --sample 0%", "--sample"),
      ("larder trace record m.log a --format monitor", "redis-monitor"),
      ("larder trace record --redis localhost a", "--redis"),
    ] as [(String, String)])
  func misuseIsOneLine(_ script: String, _ message: String) throws {
    let folder = try ScratchFolder()
    try folder.write(Self.monitor, to: "m.log")
    let run = try LarderProcess(shell: script, in: folder.folder)
    #expect(run.exitCode == 2 && run.notes.contains(message), "\(run.notes)")
    #expect(run.noteLines.count == 1 && folder.files == ["m.log"], "\(run.notes)")
    #expect(try String(contentsOf: folder.url("m.log"), encoding: .utf8) == Self.monitor)
  }
}
