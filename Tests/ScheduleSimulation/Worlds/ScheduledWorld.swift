#if LARDER_SCHEDULES
  import DiskSimulation
  import Larder

  protocol ScheduledWorld: AnyObject, Sendable {
    var recorder: ScheduleRecorder { get }
    var setting: ScheduledOperation.Setting { get }
    var rules: HistoryRules { get }
    var description: String { get }

    func perform(_ operation: ScheduledOperation, _ client: Int) async
    func finish() async
    func fault() -> String?
  }

  extension ScheduledWorld {
    func record(_ client: Int, _ key: Int, _ body: () -> HistoryEvent.Action) {
      let call = recorder.begin(client, key)
      recorder.end(call, body())
    }

    func recordAll(_ client: Int, _ body: () -> (Int) -> HistoryEvent.Action) {
      let calls = (0..<setting.keys).map { recorder.begin(client, $0) }
      let action = body()
      for (key, call) in calls.enumerated() { recorder.end(call, action(key)) }
    }
  }
#endif
