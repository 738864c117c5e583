internal import TokenTree

extension Words {
    static let english = Words(
        general: General(
            skip: "Skip to content", sections: "Sections", languages: "Languages", help: "Help",
            signedInAs: "Signed in as", signOut: "Sign out", cancel: "Cancel", none: "No entries.",
            time: { day, month, year, time in
                let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
                return "\(day) \(months[(month - 1) % 12]) \(year), \(time)"
            }),
        signIn: SignIn(
            title: "Sign in", lead: "See your devices and services, and end what you no longer need.",
            userName: "User name", password: "Password",
            code: "One-time code, if you use one", button: "Sign in"),
        overview: Overview(
            title: "Devices and services",
            lead:
                """
                Everything that you have opened depends on a device on which you are signed in. When you end \
                something, everything that depends on it ends at the same time, at the services too.
                """,
            apps:
                """
                Which apps were given access to a service is known to that service and to the edu-ID app on the \
                device, but not here. Their access ends when access to that service ends.
                """,
            browser: "Browser", device: "Device without a name", thisBrowser: "this browser",
            noServices: "No services are open from here.", end: "End", signOutThis: "Sign out",
            endEverything: "End everything, everywhere",
            since: { "since \($0)" }, lastUse: { "last used \($0)" },
            more: { "and \($0) more" }),
        services: Services(
            title: "What services know",
            lead:
                """
                These services have been opened with your edu-ID. Each of them can read about you what is listed \
                here.
                """,
            none: "You have not opened any services yet.",
            noAttributes: "Nothing but the identifier by which it recognises you.",
            ownName: "It knows you by an identifier that no other service has.",
            commonName: "It knows you by the same identifier as other services.",
            closed: "Nothing is open there at present.", leave: "End all access there",
            lastUse: { "Last used \($0)" }),
        activity: Activity(
            title: "Recent activity",
            lead:
                "If you see something here that you did not do, end access from that device and change your password.",
            none: "Nothing has happened yet.", time: "When", event: "What", reason: "Why", unnamed: "a device",
            signedIn: { "Signed in on \($0)" }, signedOut: { "Signed out on \($0)" },
            introduced: { "\($0) opened on \($1)" }, ended: { "Access to \($0) ended on \($1)" },
            reasons: { reason in
                switch reason {
                case .surrendered: "signed out there"
                case .user: "you ended it"
                case .administrator: "an administrator ended it, or what it stood on ended"
                case .issuer: "its issuer took it back"
                case .superseded: "a newer one took its place"
                case .replayed, .refreshReused: "something was used twice, as if it had been copied"
                case .misused: "it was used for something it was not made for"
                case .barred: "the device was shut out"
                }
            }),
        data: Data(
            title: "My data", profile: "About you",
            profileNote: "This comes from your institution, which can correct it.",
            noProfile: "Nothing is known about you but your user name.", download: "Download",
            downloadNote: "All that is kept here about you, as a file that programs can read (JSON).",
            downloadButton: "Download my data", erase: "Erase",
            eraseNote:
                """
                You are signed out everywhere, all services are told, and what is kept here about you is erased. Your \
                account at your institution stays, and you can begin anew.
                """,
            records:
                """
                Records of what happened do not name you: they hold random numbers, and what leads from these to you \
                is erased.
                """,
            eraseButton: "Erase my data", backupsUnsaid: "Ask the operator how long backups are kept.",
            backups: { "Backups still hold these data, and are removed after \($0 == 1 ? "a day" : "\($0) days")." }),
        ending: Ending(
            device: { "End access from “\($0)”?" }, service: { "End all access to \($0)?" },
            introduction: { "End access to \($0) from \($1)?" }, everything: "End everything, everywhere?",
            erasure: "Erase your data?",
            deviceNote: "You are signed out on this device, and everything that was opened from it ends.",
            serviceNote: "Everything that was opened there from any of your devices ends.",
            introductionNote: "Everything that was opened there from this device ends, with the apps that use it.",
            everythingNote:
                """
                You are signed out on all of your devices, here too, and everything that was opened from them ends, \
                for apps too.
                """,
            erasureNote: "This cannot be undone.",
            passwordNote: "Please type your password again, so that nobody else can do this.",
            reason: "Reason (optional; it is kept and listed)", button: "Yes, end it",
            eraseButton: "Yes, erase my data",
            done: "It has ended.", doneEverything: "Everything has ended, and you are signed out.",
            doneErasure: "Your data are erased, and you are signed out.", doneSignOut: "You are signed out.",
            nothing: "There was nothing to end: it had ended before."),
        administration: Administration(
            title: "Administration", people: "People", versions: "Versions", services: "Services",
            messages: "Messages", search: "Name, user name or e-mail address", searchButton: "Search",
            locked: "Locked people", name: "Person", devices: "Devices", lastUse: "Last used", state: "State",
            isLocked: "locked", open: "not locked", actions: "Actions", more: "More", platform: "Platform",
            version: "Version",
            blocked: "blocked", admitted: "admitted", withdrawn: "key withdrawn", service: "Service",
            introductions: "Introductions", users: "People",
            servicesNote: "Services are registered with 'eduid admin service', or in the file of services.",
            destination: "To", attempts: "Attempts", due: "Next attempt", waiting: "for more than a week",
            send: "Send now", noMessages: "All services have confirmed what they were told.",
            versionsNote: "Versions are added with 'eduid admin version'.",
            lock: "Lock", unlock: "Unlock", signOut: "Sign out", erase: "Erase", block: "Block", unblock: "Admit",
            withdraw: "Withdraw the key", since: "The key was stolen at this time",
            sinceWanted: "Please say when the key was stolen.",
            lockTitle: { "Lock \($0)?" }, unlockTitle: { "Unlock \($0)?" }, signOutTitle: { "Sign \($0) out?" },
            eraseTitle: { "Erase the data about \($0)?" }, blockTitle: { "Block \($0)?" },
            unblockTitle: { "Admit \($0) again?" },
            withdrawTitle: { "Withdraw the key of \($0)?" },
            lockNote: "All devices are signed out, and nobody can sign in under this name until it is unlocked.",
            unlockNote: "The person can sign in again.",
            signOutNote: "All devices of this person are signed out, and all that was opened from them ends.",
            eraseNote: "All devices are signed out, and what is kept about the person is erased. It cannot be undone.",
            blockNote: "All devices that run this version lose access, and all that was opened from them ends.",
            unblockNote: "Devices that run this version can be used again; what ended at services stays ended.",
            withdrawNote:
                "All that came of this key since it was stolen ends, and no device can register with it any more.",
            done: "Done.", part: "Part of it is done, but there is more. Please repeat until everything is done.",
            unknown: "There was nothing to do."),
        failures: Failures(
            wrong: "User name and password do not match.",
            codeWanted: "A one-time code is needed as well: enter the one that your device shows.",
            wrongCode: "The one-time code is wrong or was used before. Wait for the next one.",
            otherStep: "This account signs in with something that is only possible in the app.",
            tooMany: "Too many attempts failed from here. Please wait for 15 minutes.",
            locked: "This account is locked. Whoever runs this service can say why.",
            stale: "This page was open for too long. Please try again.",
            unavailable: "The service cannot answer at the moment. Please try again in a minute.",
            notFound: "There is no such page", notFoundNote: "It may have moved, or the address was mistyped.",
            notAllowed: "This is for administrators",
            notAllowedNote: "You are signed in, but not as somebody who may administer this service.",
            otherPerson: "Somebody else is signed in here. Please sign out first.", title: "That did not work"),
        claims: [
            "name": "Name", "given_name": "Given name", "family_name": "Family name", "email": "E-mail address",
            "preferred_username": "User name", "birthdate": "Date of birth", "locale": "Language",
            "affiliation": "Affiliation", "phone_number": "Telephone", "gender": "Gender", "address": "Address",
        ])
}
