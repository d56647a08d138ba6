import Foundation
import LarderLearning
import LarderSystem

/// The command `larder` as a function, so that a program with policies, caches, formats and reports
/// of its own can be it.
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

  /// What to type to run this program: a program that adds something has a name of its own.
  static var name: String {
    let file = CommandLine.arguments.first?.split(separator: "/").last.map(String.init)
    return file == "LarderCLI" ? "larder" : file ?? "larder"
  }
}
