internal import OAuth2Grants
internal import Wire

// The messages of OAuth's endpoints, as the side reads them that receives them.

extension Reference {
    private static func endpoint(_ given: Given) throws -> MessageEndpoint {
        try given.need("endpoint") { $0.string.flatMap { MessageEndpoint(rawValue: $0) } }
    }

    static func message(_ given: Given) throws -> JSON.Object {
        let (endpoint, request) = (try endpoint(given), try HTTP.Request(given: try given.part("request")))
        do throws(ParameterRejection) {
            return ["says": .object(try endpoint.members(of: request))]
        } catch {
            return ["refusal": ["error": .string(error.refusal.code.text), "clause": .string(error.clause)]]
        }
    }

    static func reply(_ given: Given) throws -> JSON.Object {
        let (endpoint, response) = (try endpoint(given), try HTTP.Response(given: try given.part("answer")))
        switch try endpoint.outcome(of: response, asked: given["asked"]?.object ?? [:]) {
        case .granted(let members): return ["granted": .object(members)]
        case .refused(let error): return ["refused": .object(error.members)]
        }
    }
}
