#if LARDER_SCHEDULES
  import DiskSimulation
  import Larder

  /// A cache with its clients.
  protocol ScheduledWorld: AnyObject, Sendable {
    var recorder: ScheduleRecorder { get }
    var setting: ScheduledOperation.Setting { get }
    var rules: HistoryRules { get }
    var description: String { get }

    func perform(_ operation: ScheduledOperation, _ client: Int) async
    /// Adds the final contents to the history after all clients are done.
    func finish() async
    /// A fault that the history cannot show; nil if there is none.
    func fault() -> String?
  }

  extension ScheduledWorld {
    func record(_ client: Int, _ key: Int, _ body: () -> HistoryEvent.Action) {
      let call = recorder.begin(client, key)
      recorder.end(call, body())
    }

    /// Records a call that concerns all keys, and returns its action for each.
    func recordAll(_ client: Int, _ body: () -> (Int) -> HistoryEvent.Action) {
      let calls = (0..<setting.keys).map { recorder.begin(client, $0) }
      let action = body()
      for (key, call) in calls.enumerated() { recorder.end(call, action(key)) }
    }
  }
#endif
