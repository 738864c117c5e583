internal import TokenTree

/// What the pages say, in one language; what is missing in one does not compile.
struct Words: Sendable {
    let general: General
    let signIn: SignIn
    let overview: Overview
    let services: Services
    let activity: Activity
    let data: Data
    let ending: Ending
    let administration: Administration
    let failures: Failures
    /// What the attributes are called that services learn, by their OpenID Connect names.
    let claims: [String: String]

    /// What stands on every page.
    struct General: Sendable {
        let skip, sections, languages, help, signedInAs, signOut, cancel, none: String
        /// A point in time as people write it: day, month, year, and the time of day.
        let time: @Sendable (Int, Int, Int, String) -> String
    }

    struct SignIn: Sendable {
        let title, lead, userName, password, code, button: String
    }

    /// Devices, and what hangs on them.
    struct Overview: Sendable {
        let title, lead, apps, browser, device, thisBrowser, noServices, end, signOutThis, endEverything: String
        let since, lastUse: @Sendable (String) -> String
        /// That a device has more introductions than are shown.
        let more: @Sendable (Int) -> String
    }

    struct Services: Sendable {
        let title, lead, none, noAttributes, ownName, commonName, closed, leave: String
        let lastUse: @Sendable (String) -> String
    }

    struct Activity: Sendable {
        let title, lead, none, time, event, reason, unnamed: String
        let signedIn, signedOut: @Sendable (String) -> String
        /// Of a service, and of a device.
        let introduced, ended: @Sendable (String, String) -> String
        let reasons: @Sendable (Record.Reason) -> String
    }

    struct Data: Sendable {
        let title, profile, profileNote, noProfile, download, downloadNote, downloadButton: String
        let erase, eraseNote, records, eraseButton, backupsUnsaid: String
        let backups: @Sendable (Int) -> String
    }

    /// Asking once more before something ends.
    struct Ending: Sendable {
        let device, service: @Sendable (String) -> String
        /// Of a service, and of a device.
        let introduction: @Sendable (String, String) -> String
        let everything, erasure: String
        let deviceNote, serviceNote, introductionNote, everythingNote, erasureNote: String
        let passwordNote, reason, button, eraseButton: String
        let done, doneEverything, doneErasure, doneSignOut, nothing: String
    }

    struct Administration: Sendable {
        let title, people, versions, services, messages: String
        let search, searchButton, locked, name, devices, lastUse, state, isLocked, open, actions, more: String
        let platform, version, blocked, admitted, withdrawn: String
        let service, introductions, users, servicesNote: String
        let destination, attempts, due, waiting, send, noMessages, versionsNote: String
        let lock, unlock, signOut, erase, block, unblock, withdraw, since, sinceWanted: String
        let lockTitle, unlockTitle, signOutTitle, eraseTitle, blockTitle, unblockTitle: @Sendable (String) -> String
        let withdrawTitle: @Sendable (String) -> String
        let lockNote, unlockNote, signOutNote, eraseNote, blockNote, unblockNote, withdrawNote: String
        let done, part, unknown: String
    }

    struct Failures: Sendable {
        let wrong, codeWanted, wrongCode, otherStep, tooMany, locked, stale, unavailable, notFound, notFoundNote: String
        let notAllowed, notAllowedNote: String
        let otherPerson, title: String
    }
}
