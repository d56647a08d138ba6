import CLarder
import Foundation
import LarderC

extension FuzzTarget {
  /// Calls of the C ABI: columns of any type and stride, and options as text. The first byte
  /// selects the call.
  static let cABI = FuzzTarget("c-abi", lengthMax: 512) { input in
    var choices = FuzzInput(input)
    let call = choices.below(3)
    if call == 0 { return try CABICall.columns(&choices) }
    guard CABICall.trace != 0 else { throw FuzzFinding("no trace") }
    let options = CABICall.bounded(String(decoding: choices.rest(), as: UTF8.self))
    try CABICall.check { text, error in
      options.withCString { options in
        call == 1
          ? larder_simulate(CABICall.trace, options, 0, text, error)
          : larder_mrc(CABICall.trace, options, 0, text, error)
      }
    }
  }
}

/// Calls through the header, with the properties of every result.
private enum CABICall {
  typealias Text = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

  /// A small trace; 0 if it could not be made.
  static let trace: UInt64 = {
    let ids = (0..<300).map { Int64($0 * $0 % 71) }
    var trace: UInt64 = 0
    ids.withUnsafeBufferPointer { ids in
      var columns = larder_columns()
      columns.count = UInt64(ids.count)
      columns.ids = larder_column(values: ids.baseAddress, stride: 8, type: Int32(LARDER_INT64))
      columns.sizes = columns.ids
      _ = larder_trace_from_columns(&columns, "fuzz", 0, &trace, nil)
    }
    return trace
  }()

  /// Options without those that set the number of threads.
  static func bounded(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .filter { !$0.contains("threads") }.joined(separator: "\n")
  }

  /// Checks that a call succeeds with a text, or fails with a line, and never reports an internal
  /// error.
  static func check(_ call: (Text, Text) -> Int32) throws {
    var (text, error): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?)
    let status = call(&text, &error)
    defer {
      larder_text_free(text)
      larder_text_free(error)
    }
    if status == LARDER_OK {
      try require(text != nil && error == nil, "no text for a call that succeeded")
    } else {
      let line = error.map { String(cString: $0) } ?? ""
      try require(status == LARDER_MISUSE, "status \(status): \(line)")
      try require(text == nil && !line.isEmpty, "no error for a call that failed")
      try require(!line.contains(where: \.isNewline), "an error of several lines: \(line)")
    }
  }

  /// Makes a trace of drawn columns over drawn bytes.
  static func columns(_ choices: inout FuzzInput) throws {
    let count = choices.below(40)
    let types = (0..<6).map { _ in Int32(choices.below(12)) }
    let present = choices.byte()
    // Twice the bytes that the widest type needs, read forwards or backwards, aligned or not.
    let offset = choices.below(8)
    let strides = (0..<6).map { _ in choices.pick([8, -8, 1, 16, 0, 9]) }
    var bytes = [UInt8](repeating: 0, count: 16 * 40 * 2 + 32)
    let drawn = choices.rest()
    for index in bytes.indices where !drawn.isEmpty { bytes[index] = drawn[index % drawn.count] }
    var trace: UInt64 = 0
    var error: UnsafeMutablePointer<CChar>?
    let status = bytes.withUnsafeBytes { memory -> Int32 in
      let middle = memory.baseAddress.map { $0 + 16 * 40 + offset }
      func column(_ index: Int) -> larder_column {
        larder_column(
          values: present >> UInt8(index) & 1 == 1 || index == 0 ? middle : nil,
          stride: Int64(strides[index]), type: types[index])
      }
      var columns = larder_columns(
        count: UInt64(count), ids: column(0), sizes: column(1), times: column(2),
        operations: column(3), ttls: column(4), costs: column(5))
      return larder_trace_from_columns(&columns, nil, 0, &trace, &error)
    }
    defer {
      larder_text_free(error)
      _ = larder_trace_destroy(trace)
    }
    guard status == LARDER_OK else {
      let line = error.map { String(cString: $0) } ?? ""
      return try require(
        status == LARDER_MISUSE && !line.isEmpty && !line.contains(where: \.isNewline),
        "status \(status): \(line)")
    }
    try check { text, error in larder_trace_info(trace, text, error) }
    try check { text, error in
      larder_simulate(trace, "policy=lru,gdsf,ttl\ncapacity=10%,3", 0, text, error)
    }
  }
}
