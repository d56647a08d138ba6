import LarderEngine
import Testing

@testable import LarderExperiments

@Suite struct SavingPaceTests {
  /// A clock that a test moves.
  private final class Clock: Sendable {
    private let time = Locked(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func pass(_ duration: Duration) { time.withLock { $0 += duration } }
  }

  /// Offers a save every tenth of a second for `total`; returns the number of saves.
  private func saves(during total: Duration, eachTaking cost: Duration) throws -> Int {
    let clock = Clock()
    let pace = SavingPace(now: { clock.now })
    let end = clock.now + total
    var saves = 0
    while clock.now < end {
      clock.pass(.milliseconds(100))
      try pace.whenDue {
        saves += 1
        clock.pass(cost)
      }
    }
    return saves
  }

  @Test func savesOncePerSecond() throws {
    #expect(try saves(during: .seconds(10), eachTaking: .zero) == 10)
  }

  @Test func slowSavesAreRare() throws {
    // At 1 s, then 2 s of saving, 20 s of rest, and again.
    #expect(try saves(during: .seconds(60), eachTaking: .seconds(2)) == 3)
  }

  @Test func errorsArePropagated() throws {
    struct Full: Error {}
    let clock = Clock()
    let pace = SavingPace(now: { clock.now })
    clock.pass(.seconds(1))
    #expect(throws: Full.self) { try pace.whenDue { throw Full() } }
  }
}
