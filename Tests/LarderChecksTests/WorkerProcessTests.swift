import Foundation
import TestSupport
import Testing

@testable import LarderExperiments
@testable import LarderHarness

/// Faulty workers.
@Suite(.endsInTime, .serialized) struct WorkerProcessTests {
  private static func worker(_ script: String) throws -> WorkerProcess {
    try WorkerProcess(program: "/bin/sh", arguments: ["-c", script])
  }

  @Test func stubbornProgramIsEnded() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "worker-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    let worker = try Self.worker(
      "trap '' TERM; echo $$ > '\(file.path)'; echo hello; while :; do sleep 600; done")
    let start = ContinuousClock.now
    #expect(throws: TimingError.self) { try worker.ready() }
    #expect(ContinuousClock.now - start < .seconds(60))
    let text = try String(contentsOf: file, encoding: .utf8)
    let id = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(kill(id, 0) != 0, "its process, or its child, is still there")
  }

  @Test func verboseProgramDoesNotBlock() throws {
    let worker = try Self.worker(
      "i=0; while [ $i -lt 4000 ]; do echo 'a note of some forty characters, again' >&2; "
        + "i=$((i+1)); done; echo the last >&2; echo larder-worker 1; echo ready; cat > /dev/null")
    #expect(try worker.ready().isEmpty)
    worker.end()
  }

  @Test func lastOutputIsReported() throws {
    let worker = try Self.worker("echo first >&2; echo 'no such option' >&2; exit 2")
    let error = #expect(throws: TimingError.self) { try worker.ready() }
    #expect("\(try #require(error))".contains("its last line of output: no such option"))
  }
}
