// swift-crypto has the interface of CryptoKit, which comes with Apple's systems.
public import Crypto

public typealias AES = Crypto.AES
public typealias CryptoKitError = Crypto.CryptoKitError
public typealias HKDF = Crypto.HKDF
public typealias HMAC = Crypto.HMAC
public typealias SHA256 = Crypto.SHA256
public typealias SymmetricKey = Crypto.SymmetricKey
public typealias SymmetricKeySize = Crypto.SymmetricKeySize
