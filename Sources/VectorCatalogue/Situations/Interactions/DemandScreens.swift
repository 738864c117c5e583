internal import JOSETesting
internal import Wire

// (7) What people see of whom more is demanded than the sign-in was.

extension Catalogue {
    private static let granting: [JSON] = ["found", "accept", "demanded"]

    static let demandModes: [Row<JSON.Object>] = ownModes + askedModes

    private static let ownModes: [Row<JSON.Object>] = [
        (
            "shown", "more is demanded, and shown with a step", ["UX-4", "FPA-20"], nil,
            eduID(true, ["demanded", "step up", "step wanted", "answer", "signed in", "log out"])
        ),
        (
            "left", "who turns back has the profile", ["UX-4", "FPA-20"], nil,
            eduID(true, ["demanded", "turn back", "demanded", "step up", "step wanted", "turn back", "turn back"])
        ),
        (
            "failed", "the attempt fails, and is made once more", ["UX-4", "FPA-20"], nil,
            eduID(true, ["demanded", "step up", "sign-in failed", "step up", "signed in"])
        ),
        (
            "anew", "whom no step leads there signs in anew, with a password or the browser", ["UX-4", "FPA-20"], nil,
            eduID(
                true, ["demanded", "sign in", "sign-in failed", "use browser", "turn back", "use browser", "signed in"]
            ).changed(["browser": "offered"])
        ),
        (
            "nowhere", "a browser is used where there is no provider", ["UX-4"], "UX-4",
            eduID(true, ["demanded", "use browser"])
        ),
        (
            "waits", "the app is opened while a step is waited for that shows more", ["UX-4", "FPA-20"], nil,
            eduID(true, ["turn back", "turn back", "log out"]).changed(["step_wanted": true, "demanded": true])
        ),
        (
            "session-ended", "the session ends in each stage of it", ["UX-4", "FPA-20"], nil,
            eduID(
                true,
                [
                    "demanded", "session ended", "sign in", "signed in", "demanded", "step up", "session ended",
                    "sign in", "signed in", "demanded", "step up", "step wanted", "session ended",
                ])
        ),
        (
            "key-gone", "the key is gone meanwhile", ["UX-4", "KEY-21"], nil,
            eduID(true, ["demanded", "step up", "key gone", "begin anew", "sign in", "sign-in failed"])
        ),
        (
            "logout-told", "the service hears of an earlier logout meanwhile", ["UX-4", "UX-5"], nil,
            eduID(true, ["demanded", "step up", "logout confirmed", "step wanted", "logout pending", "answer"])
        ),
        (
            "of-nobody", "nothing is demanded of nobody", ["UX-4", "FPA-20"], "UX-4", eduID(false, ["demanded"])
        ),
        (
            "undemanded", "more is shown that nobody demands", ["UX-4"], "UX-4", eduID(true, ["step up"])
        ),
        (
            "log-out", "whoever shows more turns back before logging out", ["UX-5"], "UX-5",
            eduID(true, ["demanded", "log out"])
        ),
        (
            "ended-sign-in", "a session ends that a sign-in has not begun yet", ["UX-4"], "UX-4",
            eduID(false, ["sign in", "step wanted", "session ended"])
        ),
    ]

    private static let askedModes: [Row<JSON.Object>] = [
        (
            "app-shown", "a service demands more before it gives an app something", ["UX-3", "FPA-21"], nil,
            authorizing(true, granting + ["step up", "step wanted", "answer", "signed in"])
        ),
        (
            "app-without", "an app does without what a service demands more for", ["UX-2", "FPA-21"], nil,
            authorizing(true, granting + ["go without"])
        ),
        (
            "app-without-later", "the same in the middle of it", ["UX-2", "FPA-21"], nil,
            authorizing(
                true,
                granting + [
                    "step up", "step wanted", "turn back", "step up", "sign-in failed", "step up", "go without",
                ])
        ),
        (
            "app-anew", "an app is answered once more for whoever signs in anew with the browser", ["UX-3", "FPA-21"],
            nil,
            authorizing(true, granting + ["use browser", "session ended"]).changed(["browser": "offered"])
        ),
        (
            "app-once", "whoever has the answer is not asked for more", ["UX-3", "FPA-21"], "UX-3",
            authorizing(true, granting + ["go without", "demanded"])
        ),
        (
            "app-ended", "the session ends while more is shown", ["UX-3"], nil,
            authorizing(true, granting + ["step up", "session ended"])
        ),
        (
            "app-key-gone", "the key is gone while more is shown", ["UX-3", "KEY-21"], nil,
            authorizing(true, granting + ["step up", "step wanted", "key gone"])
        ),
        (
            "app-rejected", "what was given is not turned down any more", ["UX-2"], "UX-2",
            authorizing(true, granting + ["reject"])
        ),
        (
            "app-nothing", "more is demanded for nothing", ["UX-3"], "UX-3", authorizing(true, ["reject", "demanded"])
        ),
        (
            "app-undemanded", "an app does without what nobody demands", ["UX-2"], "UX-2",
            authorizing(true, ["go without"])
        ),
    ]
}
