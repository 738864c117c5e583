internal import OAuth2Grants
internal import Wire

// The messages of OAuth's endpoints, as the side reads them that receives them.

extension Performer {
    private static func endpoint(_ given: JSON.Object) throws(Malformed) -> MessageEndpoint {
        try Malformed.need(MessageEndpoint(rawValue: try text(given, "endpoint")), "endpoint")
    }

    static func message(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let (endpoint, request) = (
            try endpoint(given), try HTTP.Request(vector: try Malformed.need(given["request"], "request"))
        )
        do throws(RequestRejection) {
            return ["says": .object(try endpoint.members(of: request))]
        } catch {
            return ["refusal": ["error": .string(error.refusal.code.text), "clause": .string(error.clause)]]
        }
    }

    static func reply(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let (endpoint, response) = (
            try endpoint(given), try HTTP.Response(vector: try Malformed.need(given["answer"], "answer"))
        )
        do throws(AnswerRejection) {
            switch try endpoint.outcome(of: response, asked: given["asked"]?.object ?? [:]) {
            case .granted(let members): return ["granted": .object(members)]
            case .refused(let error): return ["refused": .object(error.members)]
            }
        } catch {
            return refused(error.clause)
        }
    }
}
