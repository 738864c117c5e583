import OAuth2Grants
import Wire

extension Operation {
    /// The messages of the endpoints of OAuth, in both directions.
    ///
    /// A request is `{"method", "path" or "url", "headers", "body"}`, an answer `{"status", "headers", "body"}`, both with the body as text. What is
    /// refused is answered with the error that the peer would be told, which never shows a secret.
    static let messages = [
        Operation("oauth-request-parse") { input throws(Fault) in
            let endpoint = try input.endpoint
            let http = try input.request
            do throws(RequestRejection) {
                return .object(try endpoint.members(of: http))
            } catch {
                return ["refused": .object(error.refusal.members), "clause": .string(error.clause)]
            }
        },
        Operation("oauth-request-make") { input throws(Fault) in
            let endpoint = try input.endpoint
            guard let url = try? WebURL(parsing: try input.text("url")) else { throw .missing("url") }
            guard let request = try? endpoint.request(input, to: url) else { return false }
            return ["request": request.testkitValue]
        },
        Operation("oauth-response-parse") { input throws(Fault) in
            let endpoint = try input.endpoint
            let http = try input.response
            let outcome: MessageEndpoint.Outcome
            do throws(AnswerRejection) {
                outcome = try endpoint.outcome(of: http, input)
            } catch {
                return ["rejected": .string(error.clause)]
            }
            switch outcome {
            case .granted(let members): return ["granted": .object(members)]
            case .refused(let error): return ["refused": .object(error.members)]
            }
        },
        Operation("oauth-response-make") { input throws(Fault) in
            let endpoint = try input.endpoint
            if let refused = input["refused"] {
                guard let code = refused["error"]?.string.flatMap({ try? OAuth2Error.Code(parsing: $0) }) else { throw .missing("refused") }
                let error = OAuth2Error(code, refused["error_description"]?.string)
                return ["response": error.response(at: endpoint == .resource ? .resource() : .authorizationServer).testkitValue]
            }
            guard let granted = input["granted"], let response = endpoint.response(granted) else { throw .missing("granted") }
            return ["response": response.testkitValue]
        },
    ]
}

// MARK: - HTTP as JSON

extension Input {
    fileprivate var endpoint: MessageEndpoint {
        get throws(Fault) {
            let name = try text("endpoint")
            guard let endpoint = MessageEndpoint(rawValue: name) else { throw .unknown("endpoint", value: name) }
            return endpoint
        }
    }

    fileprivate var request: HTTPRequest {
        get throws(Fault) {
            guard let value = self["request"], let method = value["method"]?.string.flatMap({ try? HTTPRequest.Method(parsing: $0) }),
                let text = value["url"]?.string ?? value["path"]?.string, let target = try? HTTPRequest.Target(parsing: text),
                let fields = value["headers"].flatMap({ HTTPFields(testkitValue: $0) })
            else { throw .missing("request") }
            return HTTPRequest(method, target, fields: fields, body: Array((value["body"]?.string ?? "").utf8))
        }
    }

    fileprivate var response: HTTPResponse {
        get throws(Fault) {
            guard let value = self["response"], let code = value["status"]?.number?.integer(as: Int.self),
                let status = HTTPResponse.Status(code), let fields = value["headers"].flatMap({ HTTPFields(testkitValue: $0) })
            else { throw .missing("response") }
            return HTTPResponse(status, fields: fields, body: Array((value["body"]?.string ?? "").utf8))
        }
    }
}

extension HTTPFields {
    /// Fields of an object; the value of one that comes more than once is an array.
    fileprivate init?(testkitValue: JSON) {
        guard let object = testkitValue.object else { return nil }
        self.init()
        for member in object {
            guard let name = try? HTTPField.Name(parsing: member.name.text) else { return nil }
            for value in member.value.array ?? [member.value] {
                guard let text = value.string, (try? append(name, text)) != nil else { return nil }
            }
        }
    }

    fileprivate var testkitValue: JSON {
        var object = JSON.Object()
        for field in self {
            let name = JSON.Name(field.name.text)
            let values = values(of: field.name)
            object[name] = values.count == 1 ? .string(field.value) : .array(values.map { .string($0) })
        }
        return .object(object)
    }
}

extension HTTPRequest {
    fileprivate var testkitValue: JSON {
        let url = if case .absolute(let url) = target { url.text } else { target.path }
        return [
            "method": .string(method.text), "url": .string(url), "headers": fields.testkitValue,
            "body": .string(String(decoding: body, as: UTF8.self)),
        ]
    }
}

extension HTTPResponse {
    fileprivate var testkitValue: JSON {
        [
            "status": .number(JSON.Number(status.code)), "headers": fields.testkitValue,
            "body": .string(String(decoding: body, as: UTF8.self)),
        ]
    }
}

extension OAuth2Error {
    var members: JSON.Object {
        var object: JSON.Object = ["error": .string(code.text)]
        if let explanation { object["error_description"] = .string(explanation.text) }
        object["status"] = .number(JSON.Number(status().code))
        return object
    }
}
