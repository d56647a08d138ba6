import Foundation
import Larder
import LarderSupport

package enum JSONFile {
  package static func decode<Value: Decodable>(
    _ type: Value.Type, from data: Data
  ) throws(JSONFault) -> Value {
    do {
      return try BoundedJSON.decode(type, from: data)
    } catch let error as DecodingError {
      throw JSONFault(reason: syntaxFault(in: data) ?? reason(error))
    } catch {
      throw JSONFault(reason: "\(error)")
    }
  }

  private static func syntaxFault(in data: Data) -> String? {
    do {
      _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
      return nil
    } catch let error as NSError {
      let detail = error.userInfo[NSDebugDescriptionErrorKey] as? String
      return detail ?? error.localizedDescription
    }
  }

  private static func reason(_ error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, let context):
      return "\(path(context.codingPath + [key])) is missing"
    case .typeMismatch(let type, let context):
      return "\(path(context.codingPath)) is not of type \(type)"
    case .valueNotFound(let type, let context):
      return "\(path(context.codingPath)) is null, expected \(type)"
    case .dataCorrupted(let context):
      let text = context.debugDescription
      return context.codingPath.isEmpty ? text : "\(path(context.codingPath)): \(text)"
    @unknown default:
      return "\(error)"
    }
  }

  package static func path(_ keys: [any CodingKey]) -> String {
    keys.reduce(into: "") { text, key in
      if let index = key.intValue {
        text += "[\(index)]"
      } else {
        text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
  }
}

package struct JSONFault: Error, Hashable, Sendable {
  package let reason: String

  fileprivate init(reason: String) { self.reason = TextSafety.singleLine(reason) }
}
