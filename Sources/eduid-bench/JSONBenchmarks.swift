import Foundation
import Wire

/// Reading and writing JSON, against Foundation at the same tasks.
func jsonBenchmarks() -> [Benchmark] {
    let claims = Samples.claims
    let claimsData = Data(claims)
    let document = Samples.serviceDocument
    let documentData = Data(document)
    let values = readClaims(claims)
    guard let values, let tree = try? JSON(parsing: document) else { preconditionFailure("the samples are JSON") }
    let decoder = JSONDecoder()
    let encoder = JSONEncoder()
    return [
        Benchmark("json-claims-parse") { readClaims(claims) }
            .against("JSONDecoder") { try? decoder.decode(Claims.self, from: claimsData) },
        Benchmark("json-claims-write") { write(values) }
            .against("JSONEncoder") { try? encoder.encode(values) },
        Benchmark("json-document-validate") { try? JSON.Document(parsing: document) }
            .against("JSONDecoder") { try? decoder.decode(ServiceDocument.self, from: documentData) },
        Benchmark("json-document-tree") { try? JSON(parsing: document) }
            .against("JSONDecoder") { try? decoder.decode(ServiceDocument.self, from: documentData) },
        Benchmark("json-document-write") { tree.encoded() },
    ]
}

/// The eight claims of an access token, as a relying service reads them.
private struct Claims: Codable {
    let iss: String
    let sub: String
    let aud: String
    let clientID: String
    let iat: Int64
    let exp: Int64
    let jti: String
    let scope: String

    enum CodingKeys: String, CodingKey {
        case iss, sub, aud, iat, exp, jti, scope
        case clientID = "client_id"
    }
}

private func readClaims(_ bytes: [UInt8]) -> Claims? {
    do {
        let claims = try JSON.Document(parsing: bytes).root.object()
        return try Claims(
            iss: claims["iss"].string(),
            sub: claims["sub"].string(),
            aud: claims["aud"].string(),
            clientID: claims["client_id"].string(),
            iat: claims["iat"].integer(),
            exp: claims["exp"].integer(),
            jti: claims["jti"].string(),
            scope: claims["scope"].string())
    } catch {
        return nil
    }
}

private func write(_ claims: Claims) -> [UInt8] {
    JSON.encodedObject { writer in
        writer.member("iss", claims.iss)
        writer.member("sub", claims.sub)
        writer.member("aud", claims.aud)
        writer.member("client_id", claims.clientID)
        writer.member("iat", claims.iat)
        writer.member("exp", claims.exp)
        writer.member("jti", claims.jti)
        writer.member("scope", claims.scope)
    }
}

/// A service document as Foundation's decoder takes it: every member that the model knows.
private struct ServiceDocument: Codable {
    let engineName: String
    let engineLink: String
    let homePageLink: String
    let apis: [String: API]

    struct API: Codable {
        let apiLink: String
        let apiVersion: [String]
        let preferred: Bool
        let transport: [String]
        let notes: String
        let settings: [String: String]
    }
}
