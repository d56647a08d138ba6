/// The command `larder` as a function, so that a program with caches of its own can be it.
public enum LarderProgram {
  /// Does what the process's arguments ask, and exits with the code that the README promises.
  public static func main() -> Never { LarderCommand.runAndExit() }
}
