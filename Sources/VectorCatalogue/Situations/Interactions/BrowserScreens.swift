internal import JOSETesting
internal import Wire

// (7) What people see who sign in with the system's browser.

extension Catalogue {
    private static func own(_ use: JSON, _ steps: [JSON], signedIn: Bool = false) -> JSON.Object {
        eduID(signedIn, steps).changed(["browser": use])
    }

    private static func asked(_ use: JSON, _ steps: [JSON], signedIn: Bool = false) -> JSON.Object {
        authorizing(signedIn, steps).changed(["browser": use])
    }

    static let browserModes: [Row<JSON.Object>] = ownModes + askedModes

    private static let ownModes: [Row<JSON.Object>] = [
        (
            "login", "nobody is signed in, and the person uses the browser", ["UX-1", "UX-4", "USR-7", "OIC-1"], nil,
            own("offered", ["use browser", "signed in"])
        ),
        (
            "password", "where a browser is offered a password will do as well", ["UX-4"], nil,
            own("offered", ["sign in", "signed in"])
        ),
        (
            "failed", "the sign-in in the browser fails, and the next one does not", ["UX-4", "OIC-13"], nil,
            own("offered", ["use browser", "sign-in failed", "use browser", "signed in"])
        ),
        (
            "left", "who turns back from the browser can use it once more", ["UX-4"], nil,
            own("offered", ["use browser", "turn back", "use browser"])
        ),
        (
            "awaited", "the app is opened while a browser is waited for", ["UX-4", "OIC-13"], nil,
            own("awaited", ["signed in", "log out"])
        ),
        (
            "awaited-left", "who turns back from a browser that is waited for can use it once more", ["UX-4"], nil,
            own("awaited", ["turn back", "use browser", "sign-in failed"])
        ),
        (
            "awaited-before-step", "a browser that is waited for comes before a step", ["UX-4"], nil,
            own("awaited", ["turn back"]).changed(["step_wanted": true])
        ),
        (
            "offered-behind-step", "a step that is waited for comes before what is offered", ["UX-4"], nil,
            own("offered", ["turn back", "use browser"]).changed(["step_wanted": true])
        ),
        (
            "awaited-by-nobody", "somebody is signed in, and waits for no browser", ["UX-4"], nil,
            own("awaited", ["log out", "confirm", "use browser"], signedIn: true)
        ),
        (
            "logout", "the service hears of a logout while the person uses the browser", ["UX-4", "UX-5"], nil,
            own(
                "offered",
                [
                    "log out", "confirm", "logout pending", "use browser", "logout pending", "logout confirmed",
                    "turn back",
                ], signedIn: true)
        ),
        (
            "failed-logout", "behind a failed sign-in no logout is told", ["UX-4", "UX-5"], nil,
            own("offered", ["use browser", "sign-in failed", "logout pending"])
        ),
        (
            "left-logout", "behind a browser that was left a logout is told", ["UX-4", "UX-5"], nil,
            own("offered", ["use browser", "turn back", "logout pending", "logout confirmed"])
        ),
        (
            "key-gone", "the key is gone while the person uses the browser", ["UX-4", "KEY-21"], nil,
            own("offered", ["use browser", "key gone", "begin anew", "use browser"])
        ),
        (
            "nowhere", "the browser is used where there is no provider", ["UX-4", "OIC-1"], "UX-4",
            eduID(false, ["use browser"])
        ),
        (
            "twice", "the browser is used while it is used", ["UX-4"], "UX-4",
            own("offered", ["use browser", "use browser"])
        ),
        (
            "signed-in", "the browser is used when somebody is signed in", ["UX-4", "USR-7"], "UX-4",
            own("offered", ["use browser"], signedIn: true)
        ),
        (
            "with-password", "a password is sent off while the browser is used", ["UX-4"], "UX-4",
            own("offered", ["use browser", "sign in"])
        ),
        (
            "answer", "a step is answered while the browser is used", ["UX-4"], "UX-4",
            own("offered", ["use browser", "answer"])
        ),
        (
            "step-wanted", "a step is wanted while the browser is used", ["UX-4"], "UX-4",
            own("offered", ["use browser", "step wanted"])
        ),
        (
            "log-out", "who uses the browser is not signed in and cannot log out", ["UX-5"], "UX-5",
            own("offered", ["use browser", "log out"])
        ),
        (
            "unexpected", "a browser that nobody used comes back", ["UX-4"], "UX-4", own("offered", ["signed in"])
        ),
    ]

    private static let askedModes: [Row<JSON.Object>] = [
        (
            "app", "an app asks, and the person signs in with the browser", ["UX-3", "OIC-1"], nil,
            asked("offered", ["use browser", "signed in", "found", "accept"])
        ),
        (
            "app-awaited", "an app asks while a browser is waited for", ["UX-3", "OIC-13"], nil,
            asked("awaited", ["signed in", "known", "found", "accept"])
        ),
        (
            "app-awaited-before-step", "an app asks while a browser is waited for, and a step", ["UX-3"], nil,
            asked("awaited", ["turn back", "sign in", "step wanted"]).changed(["step_wanted": true])
        ),
        (
            "app-failed", "an app asks, and the sign-in in the browser fails", ["UX-3", "OIC-13"], nil,
            asked("offered", ["use browser", "sign-in failed", "sign in", "signed in"])
        ),
        (
            "app-left", "an app asks, and the person turns back from the browser", ["UX-3"], nil,
            asked("offered", ["use browser", "turn back", "use browser"])
        ),
        (
            "app-rejected", "an app asks, and the person turns it down in the middle of the sign-in",
            ["UX-2", "UX-3", "APP-1"], nil, asked("offered", ["use browser", "reject"])
        ),
        (
            "app-key-gone", "an app asks, and the key is gone while the person uses the browser",
            ["UX-2", "UX-3", "KEY-21"], nil, asked("awaited", ["key gone"])
        ),
        (
            "app-session-ended", "an app asks, the session ends, and the person uses the browser", ["UX-3"], nil,
            asked("awaited", ["found", "session ended", "use browser"], signedIn: true)
        ),
        (
            "app-nowhere", "an app asks, and the browser is used where there is no provider", ["UX-3", "OIC-1"],
            "UX-3", authorizing(false, ["use browser"])
        ),
        (
            "app-twice", "an app asks, and the browser is used while it is used", ["UX-3"], "UX-3",
            asked("offered", ["use browser", "use browser"])
        ),
        (
            "app-accept", "an app is granted something while the browser is used", ["UX-2", "UX-3"], "UX-2",
            asked("offered", ["use browser", "accept"])
        ),
        (
            "app-unexpected", "an app asks, and services are found while the browser is used", ["UX-3"], "UX-3",
            asked("offered", ["use browser", "found"])
        ),
        (
            "app-turn-back", "an app asks, and nobody can turn back from login", ["UX-2"], "UX-2",
            asked("offered", ["turn back"])
        ),
        (
            "app-after-decision", "the browser is used when the app has its answer", ["UX-2"], "UX-2",
            asked("offered", ["reject", "use browser"])
        ),
    ]
}
