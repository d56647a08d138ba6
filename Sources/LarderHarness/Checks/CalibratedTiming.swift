import Foundation
import LarderEngine

/// Times cells beside calibration kernels, and compares the ratios with those of a baseline.
///
/// Weaker than `PairedTiming`: no kernel is the cell, so another machine changes the ratios, too. A
/// cell is therefore called slower only when it is so in proportion to every one of its kernels.
package struct CalibratedTiming {
  private let settings: TimingSettings
  private let now: () -> Double
  private let progress: (String) -> Void
  private let isInterrupted: () -> Bool

  /// A way to time.
  package init(
    _ settings: TimingSettings, now: @escaping () -> Double,
    progress: @escaping (String) -> Void = { _ in },
    isInterrupted: @escaping () -> Bool = { false }
  ) {
    self.settings = settings
    self.now = now
    self.progress = progress
    self.isInterrupted = isInterrupted
  }

  /// Rounds below which nothing is said, and above which nothing is gained.
  private static var rounds: ClosedRange<Int> { 10...60 }

  /// Measures cells and kernels in turn until the budget is spent: at least ten rounds, and at most
  /// sixty.
  ///
  /// - Throws: `TimingError`, and what cells throw.
  package func measure(
    _ cells: [TimedCell], cell: (TimedCell) throws -> Double,
    kernel: (CalibrationKernel) throws -> Double
  ) throws -> [CalibratedTimings.Entry] {
    var logarithms: [[CalibrationKernel: [Double]]] = cells.map { _ in [:] }
    let kernels = CalibrationKernel.allCases.filter { kernel in
      cells.contains { CalibrationKernel.kernels(for: $0).contains(kernel) }
    }
    let start = now()
    var round = 0
    while round < Self.rounds.lowerBound
      || (round < Self.rounds.upperBound && now() - start < settings.budgetSeconds)
    {
      for (index, timed) in cells.enumerated() {
        if isInterrupted() { throw TimingError.interrupted }
        // A kernel on either side of the cell: load that rises or falls meets both alike.
        let before = try Self.times(kernels, kernel)
        let seconds = try cell(timed)
        let after = try Self.times(kernels, kernel)
        for kernel in CalibrationKernel.kernels(for: timed) {
          let time = ((before[kernel] ?? 0) * (after[kernel] ?? 0)).squareRoot()
          logarithms[index][kernel, default: []].append(log(seconds / time))
        }
      }
      round += 1
      progress("round \(round)")
    }
    let tail = settings.errorRate / Double(max(1, cells.count))
    return zip(cells, logarithms).map { timed, logarithms in
      CalibratedTimings.Entry(
        name: timed.name,
        ratios: logarithms.compactMapValues { SignedRank.interval($0, tail: tail)?.ratios })
    }
  }

  private static func times(
    _ kernels: [CalibrationKernel], _ time: (CalibrationKernel) throws -> Double
  ) rethrows -> [CalibrationKernel: Double] {
    var times: [CalibrationKernel: Double] = [:]
    for kernel in kernels { times[kernel] = try time(kernel) }
    return times
  }

  /// Holds measured cells against those of a baseline, as far as it has them.
  package func compare(
    _ measured: [CalibratedTimings.Entry], with stored: CalibratedTimings
  ) -> [TimingComparison] {
    let byName = Dictionary(
      stored.cells.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return measured.compactMap { entry in
      guard let old = byName[entry.name] else { return nil }
      let ratios = CalibrationKernel.allCases.compactMap { kernel -> (String, CentreInterval)? in
        guard let before = old.ratios[kernel], let after = entry.ratios[kernel] else { return nil }
        // What is uncertain of either is uncertain of the ratio.
        return (
          kernel.rawValue,
          CentreInterval(
            centre: after.centre / before.centre, lower: after.lower / before.upper,
            upper: after.upper / before.lower)
        )
      }
      // The kernel by which it is least slower.
      guard let least = ratios.min(by: { $0.1.lower < $1.1.lower }) else { return nil }
      let logarithms = CentreInterval(
        centre: log(least.1.centre), lower: log(least.1.lower), upper: log(least.1.upper))
      return TimingComparison(
        name: entry.name, against: "the baseline, by the kernel '\(least.0)'",
        verdict: logarithms.verdict(border: settings.border), ratio: least.1, blocks: 0, pairs: 0,
        otherSeconds: 0, thisSeconds: 0)
    }
  }
}

/// How long cells take in proportion to calibration kernels: what of a timing can be kept.
package struct CalibratedTimings: Sendable, Hashable {
  /// The machine they were measured on, in one line.
  package var machine: String
  /// One entry a cell, sorted.
  package var cells: [Entry]

  /// One cell.
  package struct Entry: Sendable, Hashable {
    /// The cell.
    package var name: TimedName
    /// The ratio to each kernel.
    package var ratios: [CalibrationKernel: CentreInterval]

    /// An entry; see the properties for the meaning of each part.
    package init(name: TimedName, ratios: [CalibrationKernel: CentreInterval]) {
      self.name = name
      self.ratios = ratios
    }
  }

  /// Timings; see the properties for the meaning of each part.
  package init(machine: String, cells: [Entry]) {
    self.machine = machine
    self.cells = cells
  }
}

/// A piece of work that is always the same, to tell a slower machine from a slower cache.
package enum CalibrationKernel: String, Sendable, Hashable, CaseIterable, Codable {
  /// A walk through memory in which each step says where the next is: the latency of memory.
  case memory
  /// Mixing numbers: the speed of the processor.
  case hashing
  /// Copying from one place in memory to another: its bandwidth.
  case copying
  /// Writing a page to a file and waiting until it is on the disk.
  case fsync

  /// The kernels that a cell is held against: the disk only where it is used.
  package static func kernels(for cell: TimedCell) -> [CalibrationKernel] {
    let usesDisk = cell.name.mode == .execute && cell.planned.cell.kind != .memory
    return usesDisk ? allCases : [.memory, .hashing, .copying]
  }
}

/// Runs calibration kernels. Its memory is made once.
package final class CalibrationBench {
  private var links: [UInt32]
  private var source: [UInt8]
  private var target: [UInt8]
  private let scratch: String
  /// Keeps the optimiser from leaving out work whose result nobody reads.
  private var sum: UInt64 = 0

  private static var entries: Int { 1 << 22 }
  private static var copied: Int { 1 << 24 }

  /// A bench that writes into a folder when the disk is measured.
  package init(scratch: String = FileManager.default.temporaryDirectory.path) {
    self.scratch = scratch
    source = [UInt8](repeating: 1, count: Self.copied)
    target = [UInt8](repeating: 2, count: Self.copied)
    // One cycle through all entries (Sattolo 1986), so that the walk never comes back early.
    links = (0..<UInt32(Self.entries)).map { $0 }
    var random = SeededGenerator(seed: 1)
    for last in stride(from: Self.entries - 1, to: 0, by: -1) {
      links.swapAt(last, Int(random.next(below: UInt64(last))))
    }
  }

  /// Seconds that the kernel takes: of the processor, and for the disk on the wall.
  ///
  /// - Throws: `TimingError.launch` when nothing can be written.
  package func seconds(_ kernel: CalibrationKernel) throws(TimingError) -> Double {
    let start = TwoClocks.now
    switch kernel {
    case .memory: chase()
    case .hashing: hash()
    case .copying: copy()
    case .fsync: try flush()
    }
    let end = TwoClocks.now
    let nanoseconds =
      kernel == .fsync ? end.wall - start.wall : end.processor - start.processor
    return Double(max(1, nanoseconds)) / 1e9
  }

  private func chase() {
    var place: UInt32 = 0
    links.withUnsafeBufferPointer { links in
      for _ in 0..<100_000 { place = links[Int(place)] }
    }
    sum &+= UInt64(place)
  }

  private func hash() {
    var state: UInt64 = 1
    for number in 0..<UInt64(2_000_000) {
      state = (state ^ number) &* 0x9e37_79b9_7f4a_7c15
      state ^= state >> 29
    }
    sum &+= state
  }

  private func copy() {
    source.withUnsafeBytes { source in
      target.withUnsafeMutableBytes { target in
        target.copyMemory(from: source)
      }
    }
    sum &+= UInt64(target[Int(sum % UInt64(Self.copied))])
  }

  private func flush() throws(TimingError) {
    let path = "\(scratch)/larder-fsync-\(getpid())"
    // What an earlier process left goes; a link that somebody placed is never written through.
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw .launch(program: path, reason: String(cString: strerror(errno)))
    }
    defer { unlink(path) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      defer { try? handle.close() }
      for _ in 0..<4 {
        try handle.write(contentsOf: Data(repeating: 3, count: 4096))
        try handle.synchronize()
      }
    } catch {
      throw .launch(program: path, reason: error.localizedDescription)
    }
  }
}
