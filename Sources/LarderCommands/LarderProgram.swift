import LarderHarness

/// The command `larder` as a function, so that a program with caches of its own can be it.
public enum LarderProgram {
  /// Does what the process's arguments ask, and exits with the code that the README promises.
  ///
  /// - Parameters:
  ///   - caches: caches that workload files may name beside Larder's own, as in `cache: mine`.
  ///     `Examples/OwnCache` is a program that adds one.
  ///   - slowdown: makes every measurement of `larder check --against` last longer by this share:
  ///     for trying out whether a slowdown is found, and 0 in every other program.
  public static func main(adding caches: [CacheContender] = [], slowdown: Double = 0) -> Never {
    TimeWorkerCommand.slowdown.withLock { $0 = slowdown }
    for cache in caches { ContenderRegistry.add(cache) }
    LarderCommand.runAndExit()
  }

  /// What to type to run this program: a program that adds caches has a name of its own.
  static var name: String {
    let file = CommandLine.arguments.first?.split(separator: "/").last.map(String.init)
    return file == "LarderCLI" ? "larder" : file ?? "larder"
  }
}
