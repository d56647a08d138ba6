import ArgumentParser
import LarderEngine
import LarderExperiments

/// Fetches that take time.
struct FetchOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Duration of a fetch: 100ms, or 1000requests for traces without times. Requests for an object \
      in flight wait for its fetch (delayed hits).
      """, valueName: "time"))
  var fetch: String?

  @Option(
    help: ArgumentHelp(
      "With --fetch: bandwidth of each fetch, such as 100MB/s.", valueName: "rate"))
  var bandwidth: String?

  @Option(
    help: ArgumentHelp(
      """
      With --fetch: duration of a read from the cache, as from a disk; in the unit of --fetch. The \
      cache is simulated as kind disk.
      """, valueName: "time"))
  var diskRead: String?

  @Option(help: "With --fetch: concurrent fetches that the origin serves; others queue.")
  var servers: Int?

  @Option(
    help: ArgumentHelp(
      """
      With --fetch: the clock, either the trace's times or the number of requests. With \
      'requests', --fetch 1000 means 1000 requests.
      """, valueName: "trace|requests"))
  var clock: FetchClock?

  @Flag(
    inversion: .prefixedNo,
    help: "With --fetch: requests for an object in flight wait for that fetch.")
  var coalescing = true

  func validate() throws {
    guard fetch != nil else {
      if bandwidth != nil || diskRead != nil || servers != nil || clock != nil || !coalescing {
        throw ValidationError(
          "--bandwidth, --disk-read, --servers, --clock and --no-coalescing need --fetch")
      }
      return
    }
    if let servers, !(1...FetchModel.serversMax).contains(servers) {
      throw ValidationError(
        "--servers expects a number from 1 to \(FetchModel.serversMax), found \(servers)")
    }
  }

  /// The time of fetches; nil where they take none.
  ///
  /// - Throws: `UsageError`.
  func spec() throws -> FetchSpec? {
    guard let fetch else { return nil }
    guard var spec = FetchSpec.fetch(parsing: inClock(fetch)) else {
      throw UsageError("--fetch '\(fetch)': expected a time such as 100ms, or 1000requests")
    }
    if let clock, (clock == .requests) != (spec.clock == .requests) {
      throw UsageError(
        "--fetch '\(fetch)' with --clock \(clock.rawValue): expected "
          + (clock == .requests ? "a number of requests, such as 1000" : "a time such as 100ms"))
    }
    if let bandwidth {
      guard let bytes = FetchSpec.bandwidth(parsing: bandwidth) else {
        throw UsageError("--bandwidth '\(bandwidth)': expected bytes per second, such as 100MB/s")
      }
      spec.bytesPerSecond = bytes
    }
    if let diskRead { try setDiskRead(diskRead, of: &spec, fetch) }
    spec.servers = servers
    spec.coalesces = coalescing
    return spec
  }

  /// A plain number as a number of requests, where requests are the clock.
  private func inClock(_ text: String) -> String {
    clock == .requests && UInt64(text) != nil ? "\(text)requests" : text
  }

  private func setDiskRead(_ text: String, of spec: inout FetchSpec, _ fetch: String) throws {
    guard let read = FetchSpec.fetch(parsing: inClock(text)) else {
      throw UsageError("--disk-read '\(text)': expected a time such as 100us, or 10requests")
    }
    spec.setDiskRead(read)
    guard spec.hasOneClock else {
      throw UsageError(
        "--fetch '\(fetch)' and --disk-read '\(text)': expected two times, or two numbers of "
          + "requests")
    }
  }
}

/// The clock that measures fetches.
enum FetchClock: String, CaseIterable, ExpressibleByArgument {
  /// The times of the trace.
  case trace
  /// The number of requests.
  case requests
}

/// Requests that are blocks of prompts.
struct PrefixOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Count prefix hits, in traces of prompts (hash-ids). The blocks of a prompt are requested \
      'front' first, as listed, or 'tail' first.
      """, valueName: "order"))
  var prefix: String?

  func validate() throws {
    guard let prefix, PromptOrder(rawValue: prefix) == nil else { return }
    throw ValidationError("--prefix expects 'front' or 'tail', found '\(prefix)'")
  }

  /// The order of prefixes; nil where they are not counted.
  var spec: PrefixSpec? {
    prefix.flatMap { PromptOrder(rawValue: $0) }.map { PrefixSpec(order: $0) }
  }
}
