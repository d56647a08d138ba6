import ArgumentParser
import Foundation
import LarderEngine
import LarderHarness
import LarderTraces
import Testing

@testable import LarderCommands

/// Exit codes of errors.
@Suite struct FailureTests {
  private struct Unforeseen: Error {}

  private static func code(_ error: any Error) -> Int32 {
    Failure(error, parser: TraceHeadCommand.self).report()
  }

  @Test func unexpectedErrorIsInternal() { #expect(Self.code(Unforeseen()) == 70) }

  @Test func userErrorsHaveTheirExitCodes() throws {
    for error in [
      TraceError("no", in: "file"), UsageError("no"), ValidationError("no"),
      PolicyError.unknownPolicy("x", nearest: nil), CocoaError(.fileReadNoSuchFile),
    ] as [any Error] {
      #expect(Self.code(error) == 2, "\(error)")
    }
    #expect(Self.code(Interrupted(description: "stopped")) == 130)
    #expect(Self.code(TimingError.interrupted) == 130)
    #expect(Self.code(CheckOutcome(description: "no", code: 3)) == 3)
  }

  /// 30 October 2022, 02:30 in Berlin, twice, half an hour before and after the clock change.
  @Test func namesOfRunsSortByTime() {
    let first = Date(timeIntervalSince1970: 1_667_089_800)
    let names = [first, first + 3600].map { RunDirectory.standard(workload: "w", now: $0) }
    #expect(names == ["Results/w/2022-10-30-003000", "Results/w/2022-10-30-013000"])
  }
}
