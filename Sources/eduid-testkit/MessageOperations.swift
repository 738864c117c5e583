import OAuth2Grants
import VectorCatalogue
import Wire

extension Operation {
    /// The messages of the endpoints of OAuth, in both directions.
    ///
    /// A request is `{"method", "path" or "url", "headers", "body"}`, an answer `{"status", "headers", "body"}`, both
    /// with the body as text. What is refused is answered with the error that the peer would be told, which never shows
    /// a secret.
    static let messages = [
        Operation("oauth-request-parse") { input in
            let endpoint = try input.endpoint
            let http = try input.request
            do throws(ParameterRejection) {
                return .object(try endpoint.members(of: http))
            } catch {
                return ["refused": .object(error.refusal.members), "clause": .string(error.clause)]
            }
        },
        Operation("oauth-request-make") { input in
            let endpoint = try input.endpoint
            guard let url = try? WebURL(parsing: try input.text("url")) else { throw Fault.missing("url") }
            return ["request": try need(try? endpoint.request(input, to: url)).vector.withBody]
        },
        Operation("oauth-response-parse") { input in
            let endpoint = try input.endpoint
            let http = try input.response
            let outcome: MessageEndpoint.Outcome
            do throws(ParameterRejection) {
                outcome = try endpoint.outcome(of: http, asked: input.members)
            } catch {
                return ["rejected": .string(error.clause)]
            }
            switch outcome {
            case .granted(let members): return ["granted": .object(members)]
            case .refused(let error): return ["refused": .object(error.members)]
            }
        },
        Operation("oauth-response-make") { input in
            let endpoint = try input.endpoint
            if let refused = input["refused"] {
                guard let code = refused["error"]?.string.flatMap({ try? OAuth2Error.Code(parsing: $0) }) else {
                    throw Fault.missing("refused")
                }
                let error = OAuth2Error(code, refused["error_description"]?.string)
                return [
                    "response": error.response(at: endpoint == .resource ? .resource() : .authorizationServer).vector
                        .withBody
                ]
            }
            guard let granted = input["granted"], let response = endpoint.response(granted) else {
                throw Fault.missing("granted")
            }
            return ["response": response.vector.withBody]
        },
    ]
}

// MARK: - HTTP as JSON

extension Input {
    fileprivate var endpoint: MessageEndpoint {
        get throws(Fault) { try choice("endpoint") { MessageEndpoint(rawValue: $0) } }
    }

    fileprivate var request: HTTP.Request {
        get throws(Fault) {
            try wrapping(
                { (error: Vector.Rejection) in Fault.missing(error.member) },
                try HTTP.Request(vector: self["request"] ?? .null))
        }
    }

    fileprivate var response: HTTP.Response {
        get throws(Fault) {
            try wrapping(
                { (error: Vector.Rejection) in Fault.missing(error.member) },
                try HTTP.Response(vector: self["response"] ?? .null))
        }
    }
}

extension JSON {
    /// A message that has a body, be it an empty one.
    fileprivate var withBody: JSON {
        guard var members = object, members["body"] == nil else { return self }
        members["body"] = ""
        return .object(members)
    }
}
