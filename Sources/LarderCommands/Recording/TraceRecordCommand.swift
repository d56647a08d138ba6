import ArgumentParser
import Foundation
import LarderExperiments
import LarderTraces

/// `larder trace record`: the requests of a running server.
struct TraceRecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record the requests that clients send to a running Redis or memcached.",
    discussion: """
      The file holds times, sizes, TTLs, operations and keyed hashes of the keys: no key and no \
      value can be read from it. Every command that takes a trace reads it. It is written block by \
      block, so that it can be read however the recording ends. Ctrl-C ends it like the end of its \
      time.

      MONITOR and watch cost the server time: a Redis that is busy all the time may serve half as \
      many requests. Begin with a short time.

      Examples:
        larder trace record --redis localhost:6379 --for 60s traffic.recorded
        larder trace record --memcached cache1:11211 --requests 1M traffic.recorded
        larder trace record --redis db --password-file secret --sampling 10% traffic.recorded
      """)

  @Option(help: ArgumentHelp("Record a Redis or Valkey with MONITOR.", valueName: "host:port"))
  var redis: ServerAddress?

  @Option(
    help: ArgumentHelp(
      "Record a memcached with watch fetchers mutations deletions evictions.",
      valueName: "host:port"))
  var memcached: ServerAddress?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "How long to record: 60s, 5m, 24h. By default 60s without --requests.", valueName: "time"))
  var time: String?

  @Option(help: "Number of requests to record: 1000000, 250k, 20M.")
  var requests: RequestCount?

  @Option(
    help: """
      Share of the keys to record: 10% or 0.1. The share is in the file, and capacities are scaled \
      by it.
      """)
  var sampling: ShareOption?

  @Flag(help: "Write the server's own lines, with all keys and values, instead.")
  var raw = false

  @Option(help: "User to log in as.")
  var user: String?

  @Option(
    help: "File whose first line is the password. Otherwise LARDER_PASSWORD is used, if it is set.",
    completion: .file())
  var passwordFile: String?

  @Argument(help: "The file to write; it must not exist.", completion: .file())
  var destination: String

  @Flag(help: "Do not print progress on standard error.")
  var quiet = false

  func validate() throws {
    guard (redis == nil) != (memcached == nil) else {
      throw ValidationError("expected one of --redis and --memcached")
    }
    if let time, duration(time) == nil {
      throw ValidationError(
        "--for expects a time from 1s to 7d, such as 60s or 5m, found '\(time)'")
    }
    if let requests, requests.requests < 1 {
      throw ValidationError("--requests expects a number above 0, found \(requests.requests)")
    }
    if let sampling, sampling.share <= 0 {
      throw ValidationError("--sampling expects a share above 0% and at most 100%")
    }
    if raw, sampling != nil { throw ValidationError("--raw and --sampling exclude each other") }
  }

  private func duration(_ text: String) -> Duration? {
    guard let seconds = Quantity.seconds(text), (1...604_800).contains(seconds) else { return nil }
    return .seconds(Int64(seconds))
  }

  func run() throws {
    Interrupts.listen()
    guard let address = redis ?? memcached else { return }
    let server: RecordedServer = redis != nil ? .redis : .memcached
    if FileManager.default.fileExists(atPath: destination) {
      throw TraceError("exists; a recording never writes over a file", in: destination)
    }
    let progress = ProgressLine(isQuiet: quiet)
    let recording = ServerRecording(
      server: server, address: address, login: try login(),
      duration: time.flatMap { duration($0) } ?? (requests == nil ? .seconds(60) : nil),
      requestsMax: requests?.requests, cancellation: Interrupts.cancellation,
      progress: { progress.set($0) })
    progress.begin(
      "Recording \(address.text(server.port))", total: requests?.requests ?? 0)
    let outcome =
      raw
      ? try recording.recordLines(to: destination)
      : try recording.record(to: destination, sampling: sampling?.share ?? 1)
    progress.end(
      "\(destination): \(outcome.requests) \(raw ? "lines" : "requests")"
        + (Interrupts.cancellation.isRequested ? ", interrupted" : ""))
    let facts = outcome.facts
    if facts.badLines > 0 {
      progress.note("\(facts.badLines) lines of the server could not be read.")
    }
    if let note = facts.holesNote { progress.note(note) }
    for (reason, count) in facts.skipped.sorted(by: { $0.key < $1.key })
    where reason.contains("not known what") {
      progress.note("\(count) lines of the server were left out: \(reason).")
    }
  }

  private func login() throws -> RecordedServer.Login? {
    var password = ProcessInfo.processInfo.environment["LARDER_PASSWORD"]
    if let passwordFile {
      guard let text = try? String(contentsOfFile: passwordFile, encoding: .utf8) else {
        throw UsageError("--password-file '\(passwordFile)' cannot be read")
      }
      password = text.split(whereSeparator: \.isNewline).first.map(String.init)
      if password == nil { throw UsageError("--password-file '\(passwordFile)' is empty") }
    }
    guard let password, !password.isEmpty else {
      if user != nil { throw UsageError("--user needs a password; see --password-file") }
      return nil
    }
    return RecordedServer.Login(user: user, password: password)
  }
}
