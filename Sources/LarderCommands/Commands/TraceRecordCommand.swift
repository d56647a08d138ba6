import ArgumentParser
import Foundation
import LarderExperiments
import LarderTraces

struct TraceRecordCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record a server's monitor output, or a log, without keys and values.",
    discussion: """
      The file holds times, sizes, TTLs, operations and keyed hashes of the keys: no key and no \
      value can be read from it. Every command that takes a trace reads it. It is written in \
      blocks, so it is readable however the recording ends: with the input, after --requests, or \
      by Ctrl-C.

      MONITOR and watch slow the server down: a saturated Redis may serve half as many requests. \
      Start with a short recording. docs/recorder.md has commands for memcached, passwords and \
      TLS.

      Examples:
        redis-cli monitor | larder trace record - traffic.recorded
        timeout 60 redis-cli -h db --tls monitor | larder trace record - traffic.recorded
        larder trace record access.log.zst traffic.recorded --sample 10%
      """)

  @Argument(
    help: "The log, compressed or not; - for standard input, which is read as a stream.",
    completion: .file())
  var trace: String

  @Argument(help: "The file to write; it must not exist.", completion: .file())
  var destination: String

  @Option(
    help: "Number of requests to record: 1000000, 250k, 20M.", transform: parseRequests)
  var requests: Int?

  @OptionGroup var format: FormatOption

  @Flag(help: "Do not print progress and notes on standard error.")
  var quiet = false

  func run() throws {
    Interrupts.listen()
    if FileManager.default.fileExists(atPath: destination) {
      throw TraceError("exists; a recording never overwrites a file", in: destination)
    }
    let progress = ProgressLine(isQuiet: quiet)
    let recording = Recording(
      to: destination, sampling: format.sample?.ratio ?? 1,
      requestsMax: requests ?? .max, progress: progress)
    let reading: LiveTrace.Reading
    do {
      reading = trace == "-" ? try readLive(into: recording) : try readFile(into: recording)
    } catch {
      // Requests on standard input come once; a log that is at fault can be read again.
      let isOfLog = trace != "-" && (error as? TraceError)?.source != destination
      if isOfLog { recording.remove() } else { try recording.finish() }
      throw error
    }
    recording.lost = reading.facts.eventsSkipped
    guard try recording.finish() else {
      if Interrupts.cancellation.isRequested {
        throw Interrupted(description: "stopped before the first request; nothing was written")
      }
      throw TraceError("has no request", in: trace, advice: "nothing was written")
    }
    progress.end(
      "\(destination): \(recording.requests) requests"
        + (Interrupts.cancellation.isRequested ? ", interrupted" : ""))
    for line in ["format: \(reading.format)"] + reading.understanding { progress.note(line) }
    note(reading.facts, progress)
  }

  private func readFile(into recording: Recording) throws -> LiveTrace.Reading {
    var reference = try format.reference([trace])
    // The recording has a sample of its own, which is chosen by keyed hashes.
    reference.sample = nil
    let source = try FileSource(reference)
    try source.withoutFolding.records { try recording.add($0) }
    return LiveTrace.Reading(
      format: source.format.name, understanding: source.understanding, facts: source.reading)
  }

  private func readLive(into recording: Recording) throws -> LiveTrace.Reading {
    try LiveTrace.decode(
      format: try format.spec(), from: trace,
      noticing: { recording.lost = $0.eventsSkipped },
      input: { space throws(TraceError) in
        while !Interrupts.cancellation.isRequested {
          if let count = try StandardInput.read(into: space, from: trace) { return count }
          try recording.flushNowAndThen()
        }
        return 0
      }, into: { try recording.add($0) })
  }

  private func note(_ facts: ReadingFacts, _ progress: ProgressLine) {
    if facts.badLines > 0 {
      progress.note("\(facts.badLines) lines could not be read and were skipped.")
    }
    if let note = facts.holesNote { progress.note(note) }
    for (reason, count) in facts.skipped.sorted(by: { $0.key < $1.key })
    where reason.contains("effect on keys is not simulated") {
      progress.note("\(count) lines were skipped: \(reason).")
    }
  }
}

private final class Recording {
  private let path: String
  private let sampling: Double
  private let requestsMax: Int
  private let progress: ProgressLine
  private var file: RecordedTraceFile?
  private var lastFlush = ContinuousClock.now
  var requests: Int { file?.requests ?? 0 }
  var lost: UInt64 = 0 { didSet { file?.lost = lost } }

  init(to path: String, sampling: Double, requestsMax: Int, progress: ProgressLine) {
    self.path = path
    self.sampling = sampling
    self.requestsMax = requestsMax
    self.progress = progress
  }

  /// Adds requests; false when there are enough, or the command was interrupted.
  func add(_ records: UnsafeBufferPointer<TraceRecord>) throws -> Bool {
    let file = try self.file ?? begin()
    if sampling >= 1 {
      try file.add(records.prefix(requestsMax - file.requests))
    } else {
      for record in records where file.requests < requestsMax { try file.add([record]) }
    }
    progress.set(file.requests)
    return file.requests < requestsMax && !Interrupts.cancellation.isRequested
  }

  private func begin() throws(TraceError) -> RecordedTraceFile {
    let file = try RecordedTraceFile(path: path, sampling: sampling)
    file.lost = lost
    progress.begin("Recording", total: requestsMax == .max ? 0 : requestsMax)
    self.file = file
    return file
  }

  func flushNowAndThen() throws(TraceError) {
    guard let file, ContinuousClock.now - lastFlush > .seconds(1) else { return }
    try file.flush()
    lastFlush = ContinuousClock.now
  }

  @discardableResult func finish() throws(TraceError) -> Bool {
    guard let file else { return false }
    try file.finish()
    return true
  }

  func remove() {
    guard file != nil else { return }
    file = nil
    unlink(path)
  }
}

private enum StandardInput {
  /// Puts bytes into `space` and returns how many, 0 at the end; nil where none have come within a
  /// tenth of a second.
  static func read(
    into space: UnsafeMutableRawBufferPointer, from name: String
  ) throws(TraceError) -> Int? {
    var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, 100) > 0 else { return nil }
    let count = Foundation.read(STDIN_FILENO, space.baseAddress, space.count)
    if count >= 0 { return count }
    if errno == EINTR || errno == EAGAIN { return nil }
    throw TraceError("cannot be read: \(String(cString: strerror(errno)))", in: name)
  }
}
