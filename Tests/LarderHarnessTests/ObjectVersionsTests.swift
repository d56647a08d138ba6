import Testing

@testable import LarderHarness

@Suite struct ObjectVersionsTests {
  private let memory = HarnessMemory()

  @Test func exclusiveWriteRaisesTheFloor() {
    for isShared in [false, true] {
      let versions = ObjectVersions(objects: 3, isShared: isShared, in: memory)
      #expect(versions.floor(2) == 1 && versions.current(2) == 1)
      let write = versions.begin(2)
      let version = versions.advance(2)
      #expect(version == 2 && versions.floor(2) == 1)
      versions.end(write, of: 2, version: version)
      #expect(versions.floor(2) == 2 && versions.current(2) == 2)
      #expect(versions.advance(2) == 3)
      #expect(versions.floor(2) == 2)
      #expect(versions.floor(3) == 1 && versions.current(3) == 1)
    }
  }

  @Test func overlappingWritesKeepTheFloor() {
    let versions = ObjectVersions(objects: 1, isShared: true, in: memory)
    let fill = versions.begin(1)
    let filled = versions.current(1)
    let set = versions.begin(1)
    let version = versions.advance(1)
    versions.end(set, of: 1, version: version)
    // The fill is still in progress and may overwrite the set.
    #expect(versions.floor(1) == 1)
    versions.end(fill, of: 1, version: filled)
    #expect(versions.floor(1) == 1 && versions.current(1) == 2)
    let next = versions.begin(1)
    versions.end(next, of: 1, version: versions.current(1))
    #expect(versions.floor(1) == 2)
  }

  @Test func writeEnclosingAnotherIsNotExclusive() {
    let versions = ObjectVersions(objects: 1, isShared: true, in: memory)
    let long = versions.begin(1)
    let short = versions.begin(1)
    versions.end(short, of: 1, version: versions.advance(1))
    versions.end(long, of: 1, version: versions.advance(1))
    #expect(versions.floor(1) == 1)
  }

  @Test func constantVersionsAreNotStored() {
    let versions = ObjectVersions(objects: 0, isShared: true, in: memory)
    let write = versions.begin(7)
    versions.end(write, of: 7, version: 1)
    #expect(versions.floor(7) == 1 && versions.current(7) == 1)
  }
}

@Suite struct TraceClockTests {
  @Test func timeNeverGoesBack() {
    let clock = TraceClock()
    #expect(clock.time == 0)
    for instant: UInt64 in [5, 3, 1 << 62, 1 << 63, 7, .max - 1, 1 << 63, .max] {
      let before = clock.time
      clock.advance(to: instant)
      #expect(clock.time == max(before, instant))
    }
  }
}
