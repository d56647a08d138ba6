public import LarderEngine
public import LarderHarness
public import LarderReports
public import LarderTraces

/// What a program of its own brings to the command: see `LarderProgram.main(adding:)`.
public struct LarderAddition: Sendable {
  /// Enters it in its registry.
  let register: @Sendable () throws -> Void

  private init(register: @escaping @Sendable () throws -> Void) { self.register = register }

  /// An eviction policy, by the name in its description. `Examples/OwnPolicy` is a package with
  /// one.
  ///
  /// Name the type in the module that defines it: the loops that call it are specialised where this
  /// is called.
  @inlinable
  public static func policy<Policy: EvictionPolicy & ~Copyable>(
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
    LarderAddition { ContenderRegistry.add(cache) }
  }

  /// A format of trace files.
  public static func format(_ format: any TraceFormat) -> LarderAddition {
    LarderAddition { try FormatRegistry.add(format) }
  }

  /// A report of a run's results.
  public static func report(_ report: any ReportFormat) -> LarderAddition {
    LarderAddition { try ReportRegistry.add(report) }
  }
}
