import Foundation
import LarderSimulation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The folder of one run.
struct RunFolder: Sendable {
  /// Where it is.
  let path: String

  /// Makes a new one under `scratch`, which is made too where there is none.
  ///
  /// - Throws: `ExecutionError.folder`.
  init(under scratch: String) throws(ExecutionError) {
    path = "\(scratch)/run-\(UUID().uuidString)"
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      throw .folder(path: path, message: "cannot be created: \(error.localizedDescription)")
    }
  }

  /// Removes it with everything in it.
  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// Every file in it.
  private var files: [String] {
    let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
    return names.map { "\(path)/\($0)" }.filter { file in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: file, isDirectory: &isFolder)
        && !isFolder.boolValue
    }
  }

  /// How many files are in it; nil for none, as a cache may keep them elsewhere. O(files).
  var fileCount: UInt64? {
    let count = files.count
    return count == 0 ? nil : UInt64(count)
  }

  /// Bytes of all files in it. O(files).
  var bytes: UInt64 {
    files.reduce(0) { sum, file in
      let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? NSNumber
      return sum + (size?.uint64Value ?? 0)
    }
  }

  /// Writes its files out and drops them from the system's page cache; false where the system has
  /// no way to. O(files).
  func dropFromPageCache() -> Bool {
    #if os(Linux)
      for file in files {
        let descriptor = open(file, O_RDONLY)
        guard descriptor >= 0 else { continue }
        // What is not written yet cannot be dropped.
        _ = fdatasync(descriptor)
        _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        _ = close(descriptor)
      }
      return true
    #else
      return false
    #endif
  }
}
