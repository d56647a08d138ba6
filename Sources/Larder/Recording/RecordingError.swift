/// Why a recording could not begin.
public enum RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The share of keys is not above 0 and at most 1.
  case sampling(Double)
  /// The cache is being recorded already.
  case alreadyRecording(path: String)
  /// Keys of this type have no text.
  case keysWithoutText(type: String)
  /// There is a file of this name.
  case exists(path: String)
  /// The file cannot be made or written.
  case file(message: String)
  /// The system has no thread for it.
  case noThread

  /// One line for a person.
  public var description: String {
    switch self {
    case .sampling(let rate):
      "recording: sampling \(rate) is out of range: expected a share of the keys above 0 and at "
        + "most 1, such as 0.01"
    case .alreadyRecording(let path):
      "recording: the cache is being recorded to \(path); stop that recording first"
    case .keysWithoutText(let type):
      "recording: keys of type \(type) have no text: record hashes (.keyed), or make them "
        + "CustomStringConvertible"
    case .exists(let path):
      "recording: \(path) exists; a recording never writes over a file"
    case .file(let message): "recording: \(message)"
    case .noThread: "recording: no thread to write with"
    }
  }
}
