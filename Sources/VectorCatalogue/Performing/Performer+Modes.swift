internal import Federation
internal import NAIL
internal import RSD2
internal import Wire

// The screens of the authorizing app.

extension Performer {
    static func mode(_ given: JSON.Object) throws(Malformed) -> JSON.Object {
        let steps = (given["steps"]?.array ?? []).compactMap { $0.string }
        if let text = given["request"]?.string {
            let request = try Malformed.need(try? ProtocolRequest(parsing: text), "request")
            return authorization(
                AuthorizationMode(for: request, isSignedIn: given["signed_in"]?.bool ?? false), steps, given)
        }
        return eduID(EduIDMode(signedIn: given["signed_in"]?.object), steps, given["profile"]?.object ?? [:])
    }

    private static func eduID(_ mode: EduIDMode, _ steps: [String], _ profile: JSON.Object) -> JSON.Object {
        var mode = mode
        var screens: [JSON] = [screen(mode)]
        var errands: [JSON] = []
        for step in steps {
            do throws(EduIDMode.Rejection) {
                let errand: EduIDMode.Errand?
                switch step {
                case "sign in": errand = try mode.take(.signIn)
                case "log out": errand = try mode.take(.logOut)
                case "confirm": errand = try mode.take(.confirm)
                case "turn back": errand = try mode.take(.turnBack)
                case "signed in":
                    errand = nil
                    try mode.note(.signedIn(profile))
                case "sign-in failed":
                    errand = nil
                    try mode.note(.signInFailed(.refused))
                default:
                    errand = nil
                    try mode.note(.sessionEnded)
                }
                if let errand { errands.append(errand == .authenticate ? "authenticate" : "unlink") }
                screens.append(screen(mode))
            } catch {
                return [
                    "screens": .array(screens), "errands": .array(errands),
                    "refusal": ["clause": .string(error.clause)],
                ]
            }
        }
        return ["screens": .array(screens), "errands": .array(errands)]
    }

    private static func screen(_ mode: EduIDMode) -> JSON {
        switch mode.screen {
        case .login: "login"
        case .authenticating: "authenticating"
        case .profile(let profile): ["profile": .object(profile)]
        case .logoutWarning: "logout warning"
        }
    }

    private static func authorization(_ mode: AuthorizationMode, _ steps: [String], _ given: JSON.Object) -> JSON.Object
    {
        var mode = mode
        let candidates = (given["candidates"]?.array ?? []).compactMap { json in
            json.string.flatMap { try? ServiceURL(parsing: $0) }.map {
                Candidate($0, named: $0.url.text, isUsed: false, isPreselected: false)
            }
        }
        var screens: [JSON] = [screen(mode)]
        var errands: [JSON] = []
        for step in steps {
            do throws(AuthorizationMode.Rejection) {
                let errand: AuthorizationMode.Errand?
                switch step {
                case "sign in": errand = try mode.take(.signIn)
                case "accept": errand = try mode.take(.accept)
                case "reject": errand = try mode.take(.reject)
                case "signed in": errand = try mode.note(.signedIn)
                case "sign-in failed": errand = try mode.note(.signInFailed(.refused))
                case "found": errand = try mode.note(.found(candidates))
                case "session ended": errand = try mode.note(.sessionEnded)
                default:
                    let words = step.split(separator: " ")
                    guard words.count == 2, let service = try? ServiceURL(parsing: String(words[1])) else {
                        throw .unexpected
                    }
                    errand = try mode.take(words[0].utf8.elementsEqual("pick".utf8) ? .pick(service) : .unpick(service))
                }
                if let errand { errands.append(word(errand)) }
                screens.append(screen(mode))
            } catch {
                return [
                    "screens": .array(screens), "errands": .array(errands),
                    "refusal": ["clause": .string(error.clause)],
                ]
            }
        }
        return ["screens": .array(screens), "errands": .array(errands)]
    }

    private static func word(_ errand: AuthorizationMode.Errand) -> JSON {
        switch errand {
        case .authenticate: "authenticate"
        case .search: "search"
        case .finish(.rejected): "finish: nothing"
        case .finish(.accepted(let choice)): ["finish": .array(choice.services.map { .string($0.url.text) })]
        }
    }

    private static func screen(_ mode: AuthorizationMode) -> JSON {
        switch mode.screen {
        case .login: "login"
        case .authenticating: "authenticating"
        case .searching: "searching"
        case .selection(let selection):
            [
                "candidates": .array(selection.candidates.map { .string($0.service.url.text) }),
                "picked": .array(
                    selection.candidates.filter { selection.picked.contains($0.service) }.map {
                        .string($0.service.url.text)
                    }),
            ]
        case .finished: "finished"
        }
    }
}
