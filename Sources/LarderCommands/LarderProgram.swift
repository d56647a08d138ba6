public import LarderExperiments

/// The command `larder` as a function, so that a program with caches of its own can be it.
public enum LarderProgram {
  /// Does what the process's arguments ask, and exits with the code that the README promises.
  ///
  /// - Parameter caches: caches that workload files may name beside Larder's own, as in
  ///   `cache: mine`. `Examples/OwnCache` is a program that adds one.
  public static func main(adding caches: [CacheContender] = []) -> Never {
    for cache in caches { ContenderRegistry.add(cache) }
    LarderCommand.runAndExit()
  }

  /// What to type to run this program: a program that adds caches has a name of its own.
  static var name: String {
    let file = CommandLine.arguments.first?.split(separator: "/").last.map(String.init)
    return file == "LarderCLI" ? "larder" : file ?? "larder"
  }
}
