#if LARDER_SCHEDULES
  import DiskSimulation
  import Larder

  /// A cache with its clients.
  protocol ScheduledWorld: AnyObject, Sendable {
    var recorder: ScheduleRecorder { get }
    var setting: ScheduledOperation.Setting { get }
    var rules: HistoryRules { get }
    /// For messages.
    var description: String { get }

    /// Does an operation for a client, and records it.
    func perform(_ operation: ScheduledOperation, _ client: Int) async
    /// Looks what is there when all clients are done, and writes it into the history.
    func finish() async
    /// What the history cannot tell; nil when all is well.
    func fault() -> String?
  }

  extension ScheduledWorld {
    /// Records a call that tells what it did.
    func record(_ client: Int, _ key: Int, _ body: () -> HistoryEvent.Action) {
      let call = recorder.begin(client, key)
      recorder.end(call, body())
    }

    /// Records a call that concerns all keys, and tells of each what it did.
    func recordAll(_ client: Int, _ body: () -> (Int) -> HistoryEvent.Action) {
      let calls = (0..<setting.keys).map { recorder.begin(client, $0) }
      let action = body()
      for (key, call) in calls.enumerated() { recorder.end(call, action(key)) }
    }
  }
#endif
