import ArgumentParser
import Foundation
public import LarderEngine
public import LarderHarness
import LarderLearning
import LarderPolicies
public import LarderReports
import LarderSupport
public import LarderTraces

/// The command `larder` as a function, for programs with policies, caches, formats, generators and
/// reports of their own.
public enum LarderProgram {
  /// Does what the process's arguments ask, and exits with the code that the README promises.
  ///
  /// - Parameters:
  ///   - additions: what the program brings, as in
  ///     `[.policy(Mine.self), .cache(mine), .format(MyFormat()), .report(MyReport())]`. Where one
  ///     cannot be added, as when its name is taken, the program says so and exits with code 2.
  ///     `Examples/OwnPolicy` and `Examples/OwnCache` are such programs.
  ///   - slowdown: makes every measurement of `larder check --against` last longer by this share:
  ///     for trying out whether a slowdown is found, and 0 in every other program.
  ///   - revision: the git commit that the program was built from, for `--version`, results and
  ///     reports; empty where it is not known.
  public static func main(
    adding additions: [LarderAddition] = [], slowdown: Double = 0, revision: String = ""
  ) -> Never {
    LarderVersion.set(revision: revision)
    LightGBM.provide()
    TimeWorkerCommand.slowdown.withLock { $0 = slowdown }
    do {
      for addition in additions { try addition.register() }
    } catch {
      Foundation.exit(Failure(error, parser: LarderCommand.self).report())
    }
    LarderCommand.runAndExit()
  }

  static var name: String {
    let file = CommandLine.arguments.first?.split(separator: "/").last.map(String.init)
    return file == "LarderCLI" ? "larder" : file ?? "larder"
  }
}

/// A policy, cache, format, generator or report that a program adds: see
/// `LarderProgram.main(adding:)`.
public struct LarderAddition: Sendable {
  let register: @Sendable () throws -> Void

  private init(register: @escaping @Sendable () throws -> Void) { self.register = register }

  /// An eviction policy, by the name in its description. `Examples/OwnPolicy` is a package with
  /// one.
  ///
  /// Name the type in the module that defines it: the loops that call it are specialised where this
  /// is called.
  @inlinable public static func policy<Policy: EvictionPolicy & ~Copyable>(
    _ policy: Policy.Type
  ) -> LarderAddition {
    .policy(RegisteredPolicy(policy))
  }

  /// An eviction policy whose type is hidden already.
  public static func policy(_ policy: RegisteredPolicy) -> LarderAddition {
    LarderAddition { try PolicyRegistry.add(policy) }
  }

  /// A cache that workload files may name, as in `cache: mine`. `Examples/OwnCache` is a program
  /// with one.
  public static func cache(_ cache: CacheContender) -> LarderAddition {
    LarderAddition { try ContenderRegistry.add(cache) }
  }

  /// A format of trace files.
  public static func format(_ format: any TraceFormat) -> LarderAddition {
    LarderAddition { try FormatRegistry.add(format) }
  }

  /// A generator of requests: see the article "Adding a generator".
  public static func generator(_ generator: RegisteredGenerator) -> LarderAddition {
    LarderAddition { try GeneratorRegistry.add(generator) }
  }

  /// A report of a run's results.
  public static func report(_ report: any ReportFormat) -> LarderAddition {
    LarderAddition { try ReportRegistry.add(report) }
  }
}

struct LarderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "larder",
    abstract: "Simulate, compare and check caches.",
    discussion: """
      Examples:
        larder run Workloads/news-feed.yaml
        larder run Workloads/news-feed.yaml --store /shared/store --part 3/10
        larder run Workloads/news-feed.yaml --store /shared/store --merge
        larder simulate trace.csv --policy lru,sieve,s3-fifo --capacity 1%,10%
        larder mrc trace.csv --policy lru,s3-fifo
        larder advise trace.csv
        larder advise trace.csv --policy s4-fifo --capacity 1%
        larder trace info trace.csv
        larder list policies

      Exit codes:
        0 success; 1 a check failed; 2 invalid arguments or input; 3 timing inconclusive
        (--strict); 130 stopped by Ctrl-C; others: a bug in larder
      """,
    version:
      "larder \(LarderVersion.current) (\(LarderVersion.revision ?? "commit not known"), "
      + "\(LarderVersion.build) build)",
    subcommands: [
      RunCommand.self, PlanCommand.self, StoreCommand.self,
      SimulateCommand.self, MRCCommand.self, AdviseCommand.self,
      TraceCommand.self, ListCommand.self, CheckCommand.self, CompareCommand.self,
      ReportCommand.self, CalibrateCommand.self, TimeWorkerCommand.self,
    ])

  /// Words of the process's arguments; `policies` is short for `list policies`.
  static let words =
    (CommandLine.arguments.dropFirst().first == "policies" ? ["list"] : [])
    + CommandLine.arguments.dropFirst()

  static func runAndExit() -> Never {
    var code: Int32 = 0
    MappingFaults.listen()
    do {
      if words.contains("") { throw UsageError("an argument is empty; is a shell variable unset?") }
      var command = try parseAsRoot(words)
      try command.run()
    } catch {
      code = Failure(error, parser: LarderCommand.self).report()
    }
    let reason = Output.finish()
    if reason != 0 {
      Notes.line("larder: cannot write standard output: \(String(cString: strerror(reason)))")
      code = 2
    }
    Foundation.exit(code)
  }
}
