/// Why a file could not be written.
package struct AtomicFileError: Error, Hashable {
  /// The file as its caller named it.
  package let path: String
  /// What could not be done, as in "cannot ...".
  package let action: String
  /// Why, as the system says it.
  package let reason: String
  /// The system's number for the reason, where it has one.
  package let code: Int32?

  init(_ path: String, _ action: String, _ reason: String) {
    self.path = path
    self.action = action
    self.reason = reason
    code = nil
  }

  init(_ path: String, _ action: String, _ fault: FileFault) {
    self.path = path
    self.action = action
    reason = fault.reason
    code = fault.code
  }
}
