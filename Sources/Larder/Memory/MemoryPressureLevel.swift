/// How short of memory the system is.
public enum MemoryPressureLevel: Sendable, Hashable, CaseIterable {
  /// Memory is getting short: what can be had again should be given up in part.
  case warning
  /// Processes are about to be ended for want of memory.
  case critical
}
