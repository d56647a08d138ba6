import Foundation
import TestSupport
import Testing

/// Real caches through the command.
@Suite(.endsInTime) struct ExecuteTests {
  private static func workload(_ rest: String) -> String {
    """
    name: tiny
    source: {generator: zipf, requests: 5000, objects: 300}
    configurations:
      - memory
      - disk
    policies: [lru, belady]
    capacities: [10%]

    """ + rest
  }

  private func run(
    _ rest: String, in scratch: ScratchFolder, to output: String
  ) throws -> (run: LarderProcess, counts: String, timings: [[String: String]], report: String) {
    let file = try scratch.write(Self.workload(rest), to: "\(output).yaml")
    let run = try LarderProcess(["run", file, "--output", output], in: scratch.folder)
    #expect(run.exitCode == 0, "\(run.notes)")
    func text(_ name: String) throws -> String {
      try String(contentsOf: scratch.url("\(output)/\(name)"), encoding: .utf8)
    }
    // Of these fields only the machine's contains commas, and it is quoted.
    let lines = try text("timings.csv").split(separator: "\n").map { line in
      line.split(separator: "\"", omittingEmptySubsequences: false).enumerated().map {
        $0.offset.isMultiple(of: 2) ? String($0.element) : "machine"
      }.joined().split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    let rows = lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(lines[0], $0)) }
    return (run, try text("counts.csv"), rows, try text("report.md"))
  }

  @Test func executedRunsAccompanySimulatedOnes() throws {
    let scratch = try ScratchFolder()
    let simulated = try run("", in: scratch, to: "simulated")
    let both = try run(
      "mode: [simulate, execute]\nexecute: {threads: [1, 2]}\n", in: scratch, to: "both")
    #expect(both.counts == simulated.counts)
    let executed = both.timings.filter { $0["mode"] == "execute" }
    #expect(executed.map { $0["configuration"] } == ["memory", "memory", "disk", "disk"])
    #expect(executed.map { $0["threads"] } == ["1", "2", "1", "2"])
    #expect(executed.allSatisfy { $0["policy"] == "lru" && $0["requests"] == "5000" })
    #expect(executed[0]["equals_simulated"] == "yes" && executed[2]["equals_simulated"] == "yes")
    #expect(executed[2]["disk_bytes_written"] != "")
    let told = "Executed and simulated counts are equal in 2 of 2 cells (one thread)."
    #expect(both.run.output.contains(told) && both.report.contains(told))
    #expect(both.report.contains("real caches do not know the future: belady"))
    #expect(both.report.contains("Latency of gets: disk"))
  }

  @Test func unsupportedExecutionIsOneLine() throws {
    let scratch = try ScratchFolder()
    let cases: [(yaml: String, says: [String])] = [
      ("configurations: {kind: memory, cache: nscahe}", ["x.yaml:4", "'nscahe'", "'nscache'"]),
      ("configurations: {kind: disk, cache: nscache}", ["x.yaml:4", "disk", "memory"]),
      ("configurations: {kind: memory, cache: nscache}", ["x.yaml:4", "mode"]),
      ("configurations: {preset: yycahce}", ["x.yaml:4", "'yycahce'"]),
      ("mode: execute\nexecute: {threads: many}", ["x.yaml:5", "threads", "'many'"]),
    ]
    for bad in cases {
      let start = "source: {generator: zipf, requests: 100}\npolicies: lru\ncapacities: 10\n"
      let file = try scratch.write(start + bad.yaml + "\n", to: "x.yaml")
      let run = try LarderProcess(["run", file, "--quiet"], in: scratch.folder)
      #expect(run.exitCode == 2)
      #expect(run.noteLines.count == 1, "\(run.notes)")
      for text in bad.says { #expect(run.notes.contains(text), "\(text) in: \(run.notes)") }
    }
    let file = try scratch.write(Self.workload("mode: execute\n"), to: "x.yaml")
    let run = try LarderProcess(
      ["run", file, "--quiet"], in: scratch.folder, environment: ["TMPDIR": file + "/nowhere"])
    #expect(run.exitCode == 2)
    #expect(run.noteLines.count == 1 && run.notes.contains("nowhere"), "\(run.notes)")
  }

  /// The first Ctrl-C asks for an end, which a cache that does not answer delays.
  @Test func secondInterruptLeavesNoCacheBehind() throws {
    let scratch = try ScratchFolder()
    try scratch.write("echo $$ > pid; exec sleep 300\n", to: "mute.sh")
    try scratch.write("1\n2\n1\n", to: "ids.txt")
    let file = try scratch.write(
      """
      source: {trace: ids.txt}
      mode: execute
      configurations:
        - {kind: memory, name: mute, cache: {process: [sh, mute.sh, "{socket}"]}}
      capacities: 1

      """, to: "mute.yaml")
    let process = Process()
    process.executableURL = try LarderProcess.executable()
    process.arguments = ["run", file, "--output", "out", "--quiet"]
    process.currentDirectoryURL = scratch.folder
    process.standardError = FileHandle.nullDevice
    try process.run()
    func pid() -> Int32? {
      let text = try? String(contentsOf: scratch.url("pid"), encoding: .utf8)
      return text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }
    while pid() == nil, process.isRunning { usleep(1000) }
    let cache = try #require(pid())
    for _ in 1...2 {
      kill(process.processIdentifier, SIGINT)
      usleep(100_000)
    }
    try Deadline.wait(for: process)
    #expect(process.terminationStatus == 130)
    var rounds = 0
    while kill(cache, 0) == 0, rounds < 500 {
      usleep(10_000)
      rounds += 1
    }
    #expect(kill(cache, 0) != 0)
  }

  /// A server's own parent ends it and removes its folder, whatever ends the command.
  @Test(arguments: [[SIGKILL], [SIGINT, SIGINT]])
  func endedCommandLeavesNoServerBehind(signals: [Int32]) throws {
    let scratch = try ScratchFolder()
    let program = try scratch.write(
      "#!/bin/sh\necho \"$$ $8\" > pid; mv pid started; exec sleep 300\n", to: "redis-server")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
    try scratch.write("1\n2\n1\n", to: "ids.txt")
    let file = try scratch.write(
      "source: {trace: ids.txt, sizes: 64}\nconfigurations: {cache: redis}\ncapacities: 2MiB\n",
      to: "redis.yaml")
    let process = Process()
    process.executableURL = try LarderProcess.executable()
    process.arguments = ["run", file, "--output", "out", "--quiet"]
    process.currentDirectoryURL = scratch.folder
    process.environment = ProcessInfo.processInfo.environment.merging([
      "PATH": "\(scratch.folder.path):/usr/bin:/bin"
    ]) { $1 }
    process.standardError = FileHandle.nullDevice
    try process.run()
    func started() -> [Substring]? {
      (try? String(contentsOf: scratch.url("started"), encoding: .utf8))?
        .split(whereSeparator: \.isWhitespace)
    }
    while started() == nil, process.isRunning { usleep(1000) }
    let words = try #require(started())
    let (server, folder) = (try #require(Int32(words[0])), String(words[1]))
    #expect(FileManager.default.fileExists(atPath: folder))
    for signal in signals {
      kill(process.processIdentifier, signal)
      usleep(100_000)
    }
    try Deadline.wait(for: process)
    var rounds = 0
    while kill(server, 0) == 0 || FileManager.default.fileExists(atPath: folder), rounds < 600 {
      usleep(10_000)
      rounds += 1
    }
    #expect(kill(server, 0) != 0 && !FileManager.default.fileExists(atPath: folder))
  }

  private static let proxies = [
    ("nginx", "nginx", "pid"), ("varnish", "varnishd", "varnish/_.pid"),
  ].filter { ServerProgram.path($0.1) != nil }

  @Test(.enabled(if: !proxies.isEmpty, "no proxy is installed"), arguments: proxies)
  func realProxyEndsWithTheCommand(cache: String, program: String, file: String) throws {
    let scratch = try ScratchFolder()
    try scratch.write((1...4_000).map { "\($0 % 700)\n" }.joined(), to: "ids.txt")
    let workload = try scratch.write(
      """
      source: {trace: ids.txt, sizes: 64}
      configurations: {cache: \(cache)}
      capacities: 2MiB
      execute: {load: {rate: 100}}

      """, to: "proxy.yaml")
    let process = Process()
    process.executableURL = try LarderProcess.executable()
    process.arguments = ["run", workload, "--output", "out", "--quiet"]
    process.currentDirectoryURL = scratch.folder
    // Addresses of sockets are short.
    let temporary = "/tmp/larder-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: temporary, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: temporary) }
    process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": temporary]) { $1 }
    process.standardError = FileHandle.nullDevice
    try process.run()
    var found: (id: Int32, folder: String)?
    while found == nil, process.isRunning {
      usleep(1000)
      for name in try FileManager.default.contentsOfDirectory(atPath: temporary) {
        let folder = "\(temporary)/\(name)"
        let text = try? String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
        let id = text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        if let id { found = (id, folder) }
      }
    }
    let (id, folder) = try #require(found)
    kill(process.processIdentifier, SIGKILL)
    try Deadline.wait(for: process)
    var rounds = 0
    while kill(id, 0) == 0 || FileManager.default.fileExists(atPath: folder), rounds < 1000 {
      usleep(10_000)
      rounds += 1
    }
    #expect(kill(id, 0) != 0 && !FileManager.default.fileExists(atPath: folder))
  }

  @Test func cachesAreListed() throws {
    let text = try LarderProcess(["list", "caches"])
    #expect(text.exitCode == 0)
    #expect(text.output.hasPrefix("larder  (memory, disk, hybrid; any policy)\n"))
    let csv = try LarderProcess(["list", "caches", "--format", "csv"]).output
      .split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
    #expect(csv[0].prefix(4) == ["name", "sort", "kinds", "runs_policies"])
    let names = csv.dropFirst().map { $0[0] }
    for name in ["larder", "nscache", "yycache"] {
      #expect(names.contains(name), "\(name)")
    }
    let json = try LarderProcess(["list", "caches", "--format", "json"]).output
    let read = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
    #expect(read?.map { $0["name"] as? String } == names)
  }

  /// Missing columns are reported before the first cell is run.
  @Test(arguments: [
    ("mode: execute\nexecute: {load: {trace: 1x}}\n", "so 'execute' cannot use them"),
    ("configurations: {kind: memory, memory: {ttl: 1s}}\n", "so nothing is older than 'ttl'"),
  ])
  func timesAreNeeded(_ lines: String, _ message: String) throws {
    let scratch = try ScratchFolder()
    try scratch.write("1\n2\n1\n", to: "ids.txt")
    let file = try scratch.write(
      "source: {trace: ids.txt}\npolicies: lru\ncapacities: 1\n\(lines)", to: "timed.yaml")
    let run = try LarderProcess(["run", file, "--output", "out"], in: scratch.folder)
    #expect(run.exitCode == 2)
    #expect(run.notes.contains("'ids.txt' has no times, \(message)"), "\(run.notes)")
    #expect(!FileManager.default.fileExists(atPath: scratch.url("out").path))
  }
}
