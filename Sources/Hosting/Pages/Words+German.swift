internal import TokenTree

extension Words {
    static let german = Words(
        general: General(
            skip: "Zum Inhalt", sections: "Bereiche", languages: "Sprachen", help: "Hilfe",
            signedInAs: "Angemeldet als", signOut: "Abmelden", cancel: "Abbrechen", none: "Keine Einträge.",
            time: { day, month, year, time in "\(day).\(month).\(year), \(time)" }),
        signIn: SignIn(
            title: "Anmelden",
            lead: "Hier sehen Sie Ihre Geräte und Dienste und können beenden, was Sie nicht mehr brauchen.",
            userName: "Benutzername", password: "Passwort",
            code: "Einmalcode, falls Sie einen verwenden", button: "Anmelden"),
        overview: Overview(
            title: "Geräte und Dienste",
            lead:
                """
                Alles, was Sie geöffnet haben, hängt an einem Gerät, auf dem Sie angemeldet sind. Wenn Sie etwas \
                beenden, endet zugleich alles, was daran hängt, auch bei den Diensten.
                """,
            apps:
                """
                Welche Apps Zugang zu einem Dienst erhalten haben, wissen dieser Dienst und die edu-ID-App auf dem \
                Gerät; hier ist es nicht bekannt. Der Zugang der Apps endet mit dem Zugang zu diesem Dienst.
                """,
            browser: "Browser", device: "Gerät ohne Namen", thisBrowser: "dieser Browser",
            noServices: "Von hier aus sind keine Dienste offen.", end: "Beenden", signOutThis: "Abmelden",
            endEverything: "Alles überall beenden",
            since: { "seit dem \($0)" }, lastUse: { "zuletzt benutzt am \($0)" },
            more: { "und \($0) weitere" }),
        services: Services(
            title: "Was Dienste wissen",
            lead: "Diese Dienste wurden mit Ihrer edu-ID geöffnet. Jeder kann über Sie lesen, was hier steht.",
            none: "Sie haben noch keine Dienste geöffnet.",
            noAttributes: "Nichts ausser der Kennung, an der er Sie wiedererkennt.",
            ownName: "Er kennt Sie unter einer Kennung, die kein anderer Dienst hat.",
            commonName: "Er kennt Sie unter derselben Kennung wie andere Dienste.",
            closed: "Zurzeit ist dort nichts offen.", leave: "Jeden Zugang dort beenden",
            lastUse: { "Zuletzt benutzt am \($0)" }),
        activity: Activity(
            title: "Letzte Ereignisse",
            lead:
                """
                Wenn hier etwas steht, das nicht von Ihnen stammt: Beenden Sie den Zugang von diesem Gerät aus und \
                ändern Sie Ihr Passwort.
                """,
            none: "Noch ist nichts geschehen.", time: "Wann", event: "Was", reason: "Warum", unnamed: "einem Gerät",
            signedIn: { "Angemeldet auf \($0)" }, signedOut: { "Abgemeldet auf \($0)" },
            introduced: { "\($0) auf \($1) geöffnet" }, ended: { "Zugang zu \($0) auf \($1) beendet" },
            reasons: { reason in
                switch reason {
                case .surrendered: "dort abgemeldet"
                case .user: "von Ihnen beendet"
                case .administrator: "von der Administration beendet, oder mit dem, woran es hing"
                case .issuer: "vom Aussteller zurückgenommen"
                case .superseded: "durch Neueres ersetzt"
                case .replayed, .refreshReused: "etwas wurde zweimal benutzt, als wäre es kopiert worden"
                case .misused: "es wurde für etwas benutzt, wofür es nicht da ist"
                case .barred: "das Gerät wurde ausgeschlossen"
                }
            }),
        data: Data(
            title: "Meine Daten", profile: "Über Sie",
            profileNote: "Diese Angaben kommen von Ihrer Institution, die sie auch berichtigen kann.",
            noProfile: "Ausser Ihrem Benutzernamen ist über Sie nichts bekannt.", download: "Herunterladen",
            downloadNote: "Alles, was hier über Sie gespeichert ist, als Datei, die Programme lesen können (JSON).",
            downloadButton: "Meine Daten herunterladen", erase: "Löschen",
            eraseNote:
                """
                Sie werden überall abgemeldet, alle Dienste erfahren es, und was hier über Sie gespeichert ist, wird \
                gelöscht. Ihr Konto bei Ihrer Institution bleibt, und Sie können neu beginnen.
                """,
            records:
                """
                Aufzeichnungen über Vorgänge nennen Sie nicht: Sie enthalten Zufallszahlen, und was von diesen zu \
                Ihnen führt, wird gelöscht.
                """,
            eraseButton: "Meine Daten löschen",
            backupsUnsaid:
                "Wie lange Sicherungskopien aufbewahrt werden, sagt Ihnen die Stelle, die diesen Dienst betreibt.",
            backups: { days in
                let time = days == 1 ? "einem Tag" : "\(days) Tagen"
                return "Sicherungskopien enthalten diese Daten weiterhin und werden nach \(time) entfernt."
            }),
        ending: Ending(
            device: { "Zugang von «\($0)» aus beenden?" }, service: { "Jeden Zugang zu \($0) beenden?" },
            introduction: { "Zugang zu \($0) von \($1) aus beenden?" }, everything: "Alles überall beenden?",
            erasure: "Ihre Daten löschen?",
            deviceNote: "Sie werden auf diesem Gerät abgemeldet, und alles, was von dort aus geöffnet wurde, endet.",
            serviceNote: "Alles, was von Ihren Geräten aus dort geöffnet wurde, endet.",
            introductionNote: "Alles, was dort von diesem Gerät aus geöffnet wurde, endet, auch für Apps.",
            everythingNote:
                """
                Sie werden auf allen Geräten abgemeldet, auch hier, und alles, was von dort aus geöffnet wurde, \
                endet, auch für Apps.
                """,
            erasureNote: "Das lässt sich nicht rückgängig machen.",
            passwordNote: "Bitte geben Sie Ihr Passwort noch einmal ein, damit niemand anders das tut.",
            reason: "Grund (freiwillig; wird aufbewahrt und angezeigt)", button: "Ja, beenden",
            eraseButton: "Ja, meine Daten löschen",
            done: "Es ist beendet.", doneEverything: "Alles ist beendet, und Sie sind abgemeldet.",
            doneErasure: "Ihre Daten sind gelöscht, und Sie sind abgemeldet.", doneSignOut: "Sie sind abgemeldet.",
            nothing: "Es gab nichts zu beenden: Es war schon beendet."),
        administration: Administration(
            title: "Administration", people: "Personen", versions: "Versionen", services: "Dienste",
            messages: "Meldungen", search: "Name, Benutzername oder E-Mail-Adresse", searchButton: "Suchen",
            locked: "Gesperrte Personen", name: "Person", devices: "Geräte", lastUse: "Zuletzt benutzt",
            state: "Zustand", isLocked: "gesperrt", open: "nicht gesperrt", actions: "Aktionen", more: "Weitere",
            platform: "Plattform",
            version: "Version", blocked: "gesperrt", admitted: "zugelassen", withdrawn: "Schlüssel zurückgezogen",
            service: "Dienst", introductions: "Zugänge", users: "Personen",
            servicesNote: "Dienste werden mit «eduid admin service» oder in der Datei der Dienste eingetragen.",
            destination: "An", attempts: "Versuche", due: "Nächster Versuch", waiting: "seit über einer Woche",
            send: "Jetzt senden", noMessages: "Alle Dienste haben bestätigt, was ihnen gemeldet wurde.",
            versionsNote: "Mit «eduid admin version» werden Versionen eingetragen.",
            lock: "Sperren", unlock: "Entsperren", signOut: "Abmelden", erase: "Löschen", block: "Sperren",
            unblock: "Zulassen", withdraw: "Schlüssel zurückziehen", since: "Zeitpunkt des Diebstahls",
            sinceWanted: "Bitte geben Sie an, wann der Schlüssel gestohlen wurde.",
            lockTitle: { "\($0) sperren?" }, unlockTitle: { "\($0) entsperren?" },
            signOutTitle: { "\($0) abmelden?" }, eraseTitle: { "Daten über \($0) löschen?" },
            blockTitle: { "\($0) sperren?" },
            unblockTitle: { "\($0) wieder zulassen?" },
            withdrawTitle: { "Schlüssel von \($0) zurückziehen?" },
            lockNote:
                "Alle Geräte werden abgemeldet, und bis zum Entsperren kann sich niemand unter diesem Namen anmelden.",
            unlockNote: "Die Person kann sich wieder anmelden.",
            signOutNote: "Alle Geräte der Person werden abgemeldet, und was von dort aus geöffnet wurde, endet.",
            eraseNote:
                """
                Alle Geräte werden abgemeldet, und was über die Person gespeichert ist, wird gelöscht. Das lässt sich \
                nicht rückgängig machen.
                """,
            blockNote:
                "Alle Geräte mit dieser Version verlieren den Zugang, und was von dort aus geöffnet wurde, endet.",
            unblockNote:
                "Geräte mit dieser Version können wieder benutzt werden; was bei Diensten endete, bleibt beendet.",
            withdrawNote:
                """
                Was seit dem Diebstahl mit diesem Schlüssel entstanden ist, endet, und kein Gerät kann sich mehr mit \
                ihm anmelden.
                """,
            done: "Erledigt.",
            part: "Ein Teil ist erledigt, aber noch nicht alles. Bitte wiederholen, bis alles erledigt ist.",
            unknown: "Es gab nichts zu tun."),
        failures: Failures(
            wrong: "Benutzername und Passwort passen nicht zusammen.",
            codeWanted: "Es braucht auch einen Einmalcode: Geben Sie den ein, den Ihr Gerät zeigt.",
            wrongCode: "Der Einmalcode ist falsch oder wurde schon verwendet. Warten Sie auf den nächsten.",
            otherStep: "Mit diesem Konto kann man sich nur in der App anmelden.",
            tooMany: "Von hier aus sind zu viele Versuche gescheitert. Bitte warten Sie 15 Minuten.",
            locked: "Dieses Konto ist gesperrt. Den Grund kennt die Stelle, die diesen Dienst betreibt.",
            stale: "Diese Seite war zu lange offen. Bitte versuchen Sie es noch einmal.",
            unavailable:
                "Der Dienst kann im Moment nicht antworten. Bitte versuchen Sie es in einer Minute noch einmal.",
            notFound: "Diese Seite gibt es nicht",
            notFoundNote: "Vielleicht ist sie umgezogen, oder die Adresse enthält einen Tippfehler.",
            notAllowed: "Nur für die Administration",
            notAllowedNote: "Sie sind angemeldet, dürfen diesen Dienst aber nicht verwalten.",
            otherPerson: "Hier ist jemand anders angemeldet. Bitte melden Sie sich zuerst ab.",
            title: "Das hat nicht geklappt"),
        claims: [
            "name": "Name", "given_name": "Vorname", "family_name": "Nachname", "email": "E-Mail-Adresse",
            "preferred_username": "Benutzername", "birthdate": "Geburtsdatum", "locale": "Sprache",
            "affiliation": "Zugehörigkeit", "phone_number": "Telefon", "gender": "Geschlecht", "address": "Adresse",
        ])
}
