import CLarderShims
import LarderEngine

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How to wait for something that another thread does in tens of nanoseconds, unless it is not
/// running: a while on the processor, then behind other threads, then asleep, so that a thread of
/// higher priority does not keep from running the one that it waits for.
struct Patience {
  private var times = 0

  /// Waits a little, longer every time.
  mutating func wait() {
    #if LARDER_SCHEDULES
      if let hook = Schedules.hook { return hook.spin() }
    #endif
    times += 1
    if times <= 100 {
      larder_pause()
    } else if times <= 110 {
      sched_yield()
    } else {
      var time = timespec(tv_sec: 0, tv_nsec: times <= 120 ? 50_000 : 500_000)
      nanosleep(&time, nil)
    }
  }
}
