import CLarder
import LarderC

/// The result of a call: its status, its text, and its line of error.
struct CallText {
  let status: Int32
  let text: String?
  let error: String?

  init(
    _ call: (
      UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>,
      UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    ) -> Int32
  ) {
    var text: UnsafeMutablePointer<CChar>?
    var error: UnsafeMutablePointer<CChar>?
    status = call(&text, &error)
    self.text = text.map { String(cString: $0) }
    self.error = error.map { String(cString: $0) }
    larder_text_free(text)
    larder_text_free(error)
  }

  /// Makes a call that returns only an error.
  init(_ call: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32) {
    self.init { _, error in call(error) }
  }

  /// A column of an array, which must stay at its address.
  static func column<Element>(
    _ values: UnsafePointer<Element>?, _ type: Int, stride: Int? = nil
  ) -> larder_column {
    larder_column(
      values: values, stride: Int64(stride ?? MemoryLayout<Element>.stride), type: Int32(type))
  }

  /// A trace of ids and sizes; 0 on failure.
  static func trace(_ ids: [Int64], sizes: [Int64]? = nil, name: String = "arrays") -> UInt64 {
    var columns = larder_columns()
    columns.count = UInt64(ids.count)
    var trace: UInt64 = 0
    ids.withUnsafeBufferPointer { ids in
      columns.ids = column(ids.baseAddress, Int(LARDER_INT64))
      (sizes ?? []).withUnsafeBufferPointer { values in
        if sizes != nil { columns.sizes = column(values.baseAddress, Int(LARDER_INT64)) }
        _ = larder_trace_from_columns(&columns, name, 0, &trace, nil)
      }
    }
    return trace
  }

  static func ids(_ count: Int, below limit: UInt64 = 60, seed: UInt64 = 1) -> [Int64] {
    var state = seed
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let one = (state >> 33) % limit
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int64(min(one, (state >> 33) % limit))
    }
  }
}
