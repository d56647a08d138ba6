// The types of Linux's Foundation, without its libc. As on macOS, Darwin and Dispatch come with it.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

@_exported public import AppleDispatch
@_exported public import Darwin
public import Foundation
@_exported public import FoundationEssentials

public typealias Bundle = Foundation.Bundle
public typealias CharacterSet = Foundation.CharacterSet
public typealias DateFormatter = Foundation.DateFormatter
public typealias FileHandle = Foundation.FileHandle
public typealias ISO8601DateFormatter = Foundation.ISO8601DateFormatter
public typealias JSONSerialization = Foundation.JSONSerialization
public typealias LocalizedError = Foundation.LocalizedError
public typealias NSCache = Foundation.NSCache
public typealias NSCondition = Foundation.NSCondition
public typealias NSError = Foundation.NSError
public typealias NSLock = Foundation.NSLock
public typealias NSNumber = Foundation.NSNumber
public typealias NSObject = Foundation.NSObject
public typealias NSObjectProtocol = Foundation.NSObjectProtocol
public typealias NSString = Foundation.NSString
public typealias ObjCBool = Foundation.ObjCBool
public typealias Pipe = Foundation.Pipe
public typealias Process = Foundation.Process
public typealias URLResourceValues = Foundation.URLResourceValues
public typealias Thread = Foundation.Thread

public let NSDebugDescriptionErrorKey = "NSDebugDescription"
public let NSUnderlyingErrorKey = "NSUnderlyingError"

public func NSTemporaryDirectory() -> String { Foundation.NSTemporaryDirectory() }
