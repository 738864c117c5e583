#if PKCS11
import CPKCS11
import Glibc
internal import JOSE
internal import PureCrypto
internal import Wire

/// A session with a token, in which one thing is done at once.
struct Session {
    private let functions: CK_FUNCTION_LIST
    private let session: CK_SESSION_HANDLE

    init(library path: String, token label: String, pin: String) throws(SecurityModule.Failure) {
        guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else { throw SecurityModule.Failure(.library(path)) }
        guard let symbol = dlsym(library, "C_GetFunctionList") else { throw SecurityModule.Failure(.library(path)) }
        let getFunctionList = unsafeBitCast(symbol, to: CK_C_GetFunctionList.self)
        var list: UnsafeMutablePointer<CK_FUNCTION_LIST>?
        try SecurityModule.Failure.check("C_GetFunctionList", getFunctionList(&list))
        guard let list else { throw SecurityModule.Failure(.library(path)) }
        functions = list.pointee

        var arguments = CK_C_INITIALIZE_ARGS()
        arguments.flags = CK_FLAGS(CKF_OS_LOCKING_OK)
        let initialized = functions.C_Initialize(&arguments)
        // Another one in this process may have done so before.
        if initialized != CK_RV(CKR_CRYPTOKI_ALREADY_INITIALIZED) {
            try SecurityModule.Failure.check("C_Initialize", initialized)
        }
        let slot = try Self.slot(of: label, functions)
        var session: CK_SESSION_HANDLE = 0
        try SecurityModule.Failure.check(
            "C_OpenSession", functions.C_OpenSession(slot, CK_FLAGS(CKF_SERIAL_SESSION), nil, nil, &session))
        self.session = session
        var digits = Array(pin.utf8)
        let loggedIn = functions.C_Login(session, CK_USER_TYPE(CKU_USER), &digits, CK_ULONG(digits.count))
        for place in digits.indices { digits[place] = 0 }
        guard loggedIn != CK_RV(CKR_USER_ALREADY_LOGGED_IN) else { return }
        do throws(SecurityModule.Failure) { try SecurityModule.Failure.check("C_Login", loggedIn) } catch {
            close()
            throw error
        }
    }

    func close() { _ = functions.C_CloseSession(session) }

    private static func slot(of label: String, _ functions: CK_FUNCTION_LIST) throws(SecurityModule.Failure)
        -> CK_SLOT_ID
    {
        var count: CK_ULONG = 0
        try SecurityModule.Failure.check("C_GetSlotList", functions.C_GetSlotList(1, nil, &count))
        var slots = [CK_SLOT_ID](repeating: 0, count: Int(count))
        try SecurityModule.Failure.check("C_GetSlotList", functions.C_GetSlotList(1, &slots, &count))
        for slot in slots.prefix(Int(count)) {
            var info = CK_TOKEN_INFO()
            guard functions.C_GetTokenInfo(slot, &info) == CK_RV(CKR_OK) else { continue }
            // Labels are 32 bytes, filled up with spaces.
            let found = withUnsafeBytes(of: info.label) { [UInt8]($0) }
            if Array((label + String(repeating: " ", count: 32)).utf8.prefix(32)) == found { return slot }
        }
        throw SecurityModule.Failure(.token(label))
    }
}

// MARK: - Keys

extension Session {
    /// How a type of keys signs.
    enum Mechanism: Sendable {
        /// Takes the hash, and gives R‖S.
        case ecdsa(ECDSACurve)
        /// Takes the message, for `RS256`.
        case rsa
    }

    /// A key pair, by its public half and the module's own number for the other one.
    struct Pair: Sendable {
        let publicKey: JWK
        let mechanism: Mechanism
        let handle: UInt
    }

    /// The pair whose halves both have this label.
    func pair(labelled label: String) throws(SecurityModule.Failure) -> Pair {
        guard let secret = try object(CKO_PRIVATE_KEY, label), let open = try object(CKO_PUBLIC_KEY, label),
            let id = try? KeyID(parsing: label)
        else { throw SecurityModule.Failure(.key(label)) }
        if let modulus = try? attribute(CKA_MODULUS, of: open),
            let exponent = try? attribute(CKA_PUBLIC_EXPONENT, of: open),
            let key = try? RSA.Signing.PublicKey(
                modulus: modulus.drop { $0 == 0 }, exponent: exponent.drop { $0 == 0 })
        {
            let attributes = JWK.Attributes(id: id, algorithm: .rs256)
            return Pair(publicKey: JWK(.rsa(key), attributes: attributes), mechanism: .rsa, handle: UInt(secret))
        }
        let point = try attribute(CKA_EC_POINT, of: open)
        if let (curve, document) = Self.document(of: point) {
            return Pair(
                publicKey: JWK(document, attributes: JWK.Attributes(id: id)), mechanism: .ecdsa(curve),
                handle: UInt(secret))
        }
        throw SecurityModule.Failure(.keyType(label))
    }

    /// The key of a point, which stands in an OCTET STRING, as the standard has it, or as it is.
    private static func document(of point: [UInt8]) -> (ECDSACurve, PublicKeyDocument)? {
        func bare(_ length: Int) -> ArraySlice<UInt8>? {
            length...length + 3 ~= point.count ? point.suffix(length) : nil
        }
        if let point = bare(65), let key = try? P256.Signing.PublicKey(x963Representation: point) {
            return (.p256, .p256(key))
        }
        if let point = bare(97), let key = try? P384.Signing.PublicKey(x963Representation: point) {
            return (.p384, .p384(key))
        }
        if let point = bare(133), let key = try? P521.Signing.PublicKey(x963Representation: point) {
            return (.p521, .p521(key))
        }
        return nil
    }

    private func object(_ kind: UInt, _ label: String) throws(SecurityModule.Failure) -> CK_OBJECT_HANDLE? {
        var (kind, text) = (CK_OBJECT_CLASS(kind), Array(label.utf8))
        var (object, count): (CK_OBJECT_HANDLE, CK_ULONG) = (0, 0)
        let result: CK_RV = withUnsafeMutableBytes(of: &kind) { kind in
            text.withUnsafeMutableBytes { text in
                var template = [
                    CK_ATTRIBUTE(
                        type: CK_ATTRIBUTE_TYPE(CKA_CLASS), pValue: kind.baseAddress, ulValueLen: CK_ULONG(kind.count)),
                    CK_ATTRIBUTE(
                        type: CK_ATTRIBUTE_TYPE(CKA_LABEL), pValue: text.baseAddress, ulValueLen: CK_ULONG(text.count)),
                ]
                let begun = functions.C_FindObjectsInit(session, &template, CK_ULONG(template.count))
                guard begun == CK_RV(CKR_OK) else { return begun }
                defer { _ = functions.C_FindObjectsFinal(session) }
                return functions.C_FindObjects(session, &object, 1, &count)
            }
        }
        try SecurityModule.Failure.check("C_FindObjects", result)
        return count == 1 ? object : nil
    }

    private func attribute(_ type: UInt, of object: CK_OBJECT_HANDLE) throws(SecurityModule.Failure) -> [UInt8] {
        var attribute = CK_ATTRIBUTE(type: CK_ATTRIBUTE_TYPE(type), pValue: nil, ulValueLen: 0)
        try SecurityModule.Failure.check(
            "C_GetAttributeValue", functions.C_GetAttributeValue(session, object, &attribute, 1))
        // Bound: a modulus of 16,384 bits has 2,048 bytes; what is longer is no key for here.
        guard attribute.ulValueLen <= 4096 else { throw SecurityModule.Failure(.keyType("")) }
        var bytes = [UInt8](repeating: 0, count: Int(attribute.ulValueLen))
        let result: CK_RV = bytes.withUnsafeMutableBytes { bytes in
            attribute.pValue = bytes.baseAddress
            return functions.C_GetAttributeValue(session, object, &attribute, 1)
        }
        try SecurityModule.Failure.check("C_GetAttributeValue", result)
        return bytes
    }

    func sign(_ message: [UInt8], by pair: Pair) throws(SecurityModule.Failure) -> [UInt8] {
        var (input, type): ([UInt8], UInt)
        switch pair.mechanism {
        case .ecdsa(.p256): (input, type) = ([UInt8](SHA256.hash(data: message)), CKM_ECDSA)
        case .ecdsa(.p384): (input, type) = ([UInt8](SHA384.hash(data: message)), CKM_ECDSA)
        case .ecdsa(.p521): (input, type) = ([UInt8](SHA512.hash(data: message)), CKM_ECDSA)
        case .rsa: (input, type) = (message, CKM_SHA256_RSA_PKCS)
        }
        var chosen = CK_MECHANISM(mechanism: CK_MECHANISM_TYPE(type), pParameter: nil, ulParameterLen: 0)
        try SecurityModule.Failure.check(
            "C_SignInit", functions.C_SignInit(session, &chosen, CK_OBJECT_HANDLE(pair.handle)))
        var signature = [UInt8](repeating: 0, count: 2048)
        var count = CK_ULONG(signature.count)
        try SecurityModule.Failure.check(
            "C_Sign", functions.C_Sign(session, &input, CK_ULONG(input.count), &signature, &count))
        return [UInt8](signature.prefix(Int(count)))
    }
}
#endif
