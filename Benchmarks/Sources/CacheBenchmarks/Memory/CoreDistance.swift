import Foundation
import Synchronization

/// How far apart two processors are: the time in which what one has written reaches the other.
///
/// In a virtual machine it may change from one second to the next, several times over, and what two
/// threads can do together changes with it. So it is measured before and after they run, and runs
/// are told apart by it.
enum CoreDistance {
  /// Up to so many nanoseconds processors count as near each other: they share a cache.
  static let nearNanosecondsMax = 100.0

  private final class Court: @unchecked Sendable {
    // Two words in cache lines of their own.
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 512, alignment: 128)

    init() {
      for place in [ping, pong] { place.initialize(to: Atomic(0)) }
    }

    deinit { memory.deallocate() }

    var ping: UnsafeMutablePointer<Atomic<Int>> {
      memory.assumingMemoryBound(to: Atomic<Int>.self)
    }
    var pong: UnsafeMutablePointer<Atomic<Int>> {
      (memory + 256).assumingMemoryBound(to: Atomic<Int>.self)
    }
  }

  /// Nanoseconds for one way, of 20,000 there and back, on two processors that have nothing else to
  /// do; nil where there is one only.
  static func nanoseconds() -> Double? {
    guard ProcessInfo.processInfo.activeProcessorCount > 1 else { return nil }
    let court = Court()
    let turns = 20_000
    let other = Thread {
      for turn in 1...turns {
        while court.ping.pointee.load(ordering: .acquiring) != turn {}
        court.pong.pointee.store(turn, ordering: .releasing)
      }
    }
    other.start()
    let start = Measurement.nanosecondsNow(CLOCK_MONOTONIC)
    for turn in 1...turns {
      court.ping.pointee.store(turn, ordering: .releasing)
      while court.pong.pointee.load(ordering: .acquiring) != turn {}
    }
    let end = Measurement.nanosecondsNow(CLOCK_MONOTONIC)
    return Double(end - start) / Double(2 * turns)
  }
}
