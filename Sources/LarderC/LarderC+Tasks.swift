import CLarder
import Foundation
import LarderSystem

extension LarderC {
  /// The version of the interface.
  static let abi: Int32 = LARDER_ABI
}

/// `larder_abi` of `larder.h`.
@_cdecl("larder_abi")
public func larderABI() -> Int32 { LarderC.abi }

/// `larder_version` of `larder.h`.
@_cdecl("larder_version")
public func larderVersion() -> UnsafeMutablePointer<CChar>? {
  LarderC.copy(LarderVersion.current)
}

/// `larder_text_free` of `larder.h`.
@_cdecl("larder_text_free")
public func larderTextFree(_ text: UnsafeMutablePointer<CChar>?) { free(text) }

/// `larder_task_create` of `larder.h`.
@_cdecl("larder_task_create")
public func larderTaskCreate() -> UInt64 { LarderC.tasks.add(TaskState()) }

/// `larder_task_cancel` of `larder.h`.
@_cdecl("larder_task_cancel")
public func larderTaskCancel(_ task: UInt64) -> Int32 {
  guard let state = LarderC.tasks[task] else { return Int32(LARDER_MISUSE) }
  state.cancellation.request()
  return Int32(LARDER_OK)
}

/// `larder_task_progress` of `larder.h`.
@_cdecl("larder_task_progress")
public func larderTaskProgress(
  _ task: UInt64, _ done: UnsafeMutablePointer<UInt64>?, _ total: UnsafeMutablePointer<UInt64>?
) -> Int32 {
  guard let state = LarderC.tasks[task] else { return Int32(LARDER_MISUSE) }
  let progress = state.progress
  done?.pointee = progress.done
  total?.pointee = progress.total
  return Int32(LARDER_OK)
}

/// `larder_task_destroy` of `larder.h`.
@_cdecl("larder_task_destroy")
public func larderTaskDestroy(_ task: UInt64) -> Int32 {
  Int32(LarderC.tasks.remove(task) ? LARDER_OK : LARDER_MISUSE)
}
