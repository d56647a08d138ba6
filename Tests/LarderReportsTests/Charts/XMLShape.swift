import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The structure of an XML text: elements with attributes in order, and texts.
final class XMLShape: NSObject, XMLParserDelegate {
  private(set) var elements: [String] = []
  private(set) var texts: [String] = []
  private(set) var attributes: [String: [String]] = [:]
  private var text = ""

  /// The structure; nil if the text is not well-formed.
  init?(_ xml: String) {
    super.init()
    let parser = XMLParser(data: Data(xml.utf8))
    parser.delegate = self
    guard parser.parse() else { return nil }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    elements.append("\(name) \(attributes.keys.sorted().joined(separator: " "))")
    for (key, value) in attributes { self.attributes[key, default: []].append(value) }
    text = ""
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?,
    qualifiedName: String?
  ) {
    if !text.isEmpty { texts.append(text) }
    text = ""
  }
}
