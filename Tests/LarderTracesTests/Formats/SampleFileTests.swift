import Foundation
import Testing

@testable import LarderTraces

@Suite struct SampleFileTests {
  @Test func sampleOfARecordingIsWhatIsWritten() {
    #expect(
      SampleTrace.recording(SampleTrace.recordedEvents, gets: 6) == SampleTrace.recorded.bytes)
  }

  @Test func folderHasNoOtherTraces() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Repository.samples)
    let known = Set(SampleTrace.all.map(\.file) + ["README.md"])
    #expect(names.filter { !known.contains($0) }.isEmpty)
  }
}
