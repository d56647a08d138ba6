import Foundation
import Testing

@testable import LarderExperiments
@testable import LarderHarness

/// The counter with a fake valgrind: a script that prints callgrind's output.
@Suite struct InstructionCounterTests {
  /// A folder with a script in place of valgrind.
  private final class Stage {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "larder-counter-\(UUID().uuidString)")

    init(valgrind script: String?) throws {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      guard let script else { return }
      let file = folder.appending(path: "valgrind")
      try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func counter() throws -> InstructionCounter {
      try InstructionCounter(
        program: "/bin/larder", arguments: ["time-worker", "w.yaml"], folder: folder,
        path: folder.path)
    }

    func count() throws -> UInt64 { try counter().instructions(ofCell: 3) }
  }

  /// 7,000 for the start, and 500 for each run of cell 3.
  private static let honest = """
    read cell runs plain
    [ "$cell $plain" = "3 plain" ] || exit 9
    [ "$SWIFT_DETERMINISTIC_HASHING" = 1 ] && [ -n "$MALLOC_CONF" ] || exit 7
    [ "$3 $4 $5" = "/bin/larder time-worker w.yaml" ] || exit 8
    echo "1 2 3"
    echo "==7== Events    : Ir" >&2
    echo "==7== Collected : $((7000 + runs * 500))" >&2
    echo "==7== " >&2
    """

  @Test func theStartOfTheProcessIsNotCounted() throws {
    let stage = try Stage(valgrind: Self.honest)
    #expect(try stage.count() == 500)
  }

  @Test func missingValgrindIsAnError() throws {
    let stage = try Stage(valgrind: nil)
    #expect(throws: TimingError.noCounter) { try stage.counter() }
    #expect("\(TimingError.noCounter)".contains("install the package valgrind"))
  }

  @Test(arguments: [
    ("read line; echo 'error no such cell'", "no such cell"),
    (
      "read line; echo 'error expected the number of a cell and a number of runs'",
      "/bin/larder: built before instructions could be compared"
    ),
    (
      "echo '==7== Giving up.' >&2; echo '==7== ' >&2; exit 1",
      "last line of output: ==7== Giving up."
    ),
    ("exit 0", "last line of output: nothing"),
    (
      "read line; echo 1 2 3; echo '==7== Collected : 5' >&2",
      "two runs execute no more "
        + "instructions than one"
    ),
    (
      "read line; echo 1 2 3; echo '==7== Collected : x' >&2",
      "last line of output: ==7== Collected : x"
    ),
  ])
  func failuresAreErrors(script: String, says: String) throws {
    let stage = try Stage(valgrind: script)
    let error = #expect(throws: TimingError.self) { try stage.count() }
    #expect("\(try #require(error))".contains(says), "\(String(describing: error))")
  }
}
