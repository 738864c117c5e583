internal import TokenTree

extension Words {
    static let italian = Words(
        general: General(
            skip: "Vai al contenuto", sections: "Sezioni", languages: "Lingue", help: "Aiuto",
            signedInAs: "Accesso effettuato come", signOut: "Esci", cancel: "Annulla", none: "Nessuna voce.",
            time: { day, month, year, time in "\(day).\(month).\(year), \(time)" }),
        signIn: SignIn(
            title: "Accesso", lead: "Consulti i suoi dispositivi e servizi, e chiuda ciò che non le serve più.",
            userName: "Nome utente", password: "Password",
            code: "Codice monouso, se ne usa uno", button: "Accedi"),
        overview: Overview(
            title: "Dispositivi e servizi",
            lead:
                """
                Tutto ciò che ha aperto dipende da un dispositivo su cui ha effettuato l’accesso. Quando chiude \
                qualcosa, si chiude nello stesso momento tutto ciò che ne dipende, anche presso i servizi.
                """,
            apps:
                """
                Quali app hanno ricevuto l’accesso a un servizio lo sanno quel servizio e l’app edu-ID sul \
                dispositivo; qui non è noto. Il loro accesso termina con il servizio da cui dipende.
                """,
            browser: "Browser", device: "Dispositivo senza nome", thisBrowser: "questo browser",
            noServices: "Da qui non è aperto alcun servizio.", end: "Chiudi", signOutThis: "Esci",
            endEverything: "Chiudi tutto, ovunque",
            since: { "inizio: \($0)" }, lastUse: { "ultimo uso: \($0)" },
            more: { "e altri \($0)" }),
        services: Services(
            title: "Cosa sanno i servizi",
            lead:
                """
                Questi servizi sono stati aperti con la sua edu-ID. Ciascuno può leggere su di lei ciò che è \
                elencato.
                """,
            none: "Non ha ancora aperto alcun servizio.",
            noAttributes: "Nient’altro che l’identificativo con cui la riconosce.",
            ownName: "La conosce con un identificativo che nessun altro servizio ha.",
            commonName: "La conosce con lo stesso identificativo di altri servizi.",
            closed: "Al momento lì non è aperto nulla.", leave: "Chiudi ogni accesso",
            lastUse: { "Ultimo uso: \($0)" }),
        activity: Activity(
            title: "Attività recente",
            lead:
                """
                Se vede qui qualcosa che non ha fatto lei, chiuda l’accesso da quel dispositivo e cambi la sua \
                password.
                """,
            none: "Non è ancora successo nulla.", time: "Quando", event: "Cosa", reason: "Perché",
            unnamed: "un dispositivo",
            signedIn: { "Accesso su \($0)" }, signedOut: { "Uscita da \($0)" },
            introduced: { "Accesso a \($0) aperto su \($1)" }, ended: { "Accesso a \($0) chiuso su \($1)" },
            reasons: { reason in
                switch reason {
                case .surrendered: "uscita dal dispositivo stesso"
                case .user: "chiuso su sua richiesta"
                case .administrator: "chiuso dall’amministrazione, o con ciò da cui dipendeva"
                case .issuer: "ritirato da chi l’ha emesso"
                case .superseded: "sostituito da uno più recente"
                case .replayed, .refreshReused: "qualcosa è stato usato due volte, come se fosse stato copiato"
                case .misused: "usato per uno scopo non previsto"
                case .barred: "il dispositivo è stato escluso"
                }
            }),
        data: Data(
            title: "I miei dati", profile: "Su di lei",
            profileNote: "Questi dati vengono dalla sua istituzione, che può correggerli.",
            noProfile: "Di lei è noto soltanto il nome utente.", download: "Scaricare",
            downloadNote: "Tutto ciò che è conservato qui su di lei, in un file leggibile da programmi (JSON).",
            downloadButton: "Scarica i miei dati", erase: "Cancellare",
            eraseNote:
                """
                L’accesso termina ovunque, tutti i servizi ne vengono informati, e ciò che è conservato qui su di lei \
                viene cancellato. Il suo account presso la sua istituzione rimane, e può ricominciare da capo.
                """,
            records:
                """
                Le registrazioni degli eventi non la nominano: contengono numeri casuali, e ciò che da questi porta a \
                lei viene cancellato.
                """,
            eraseButton: "Cancella i miei dati",
            backupsUnsaid: "Chieda a chi gestisce il servizio per quanto tempo si conservano le copie di sicurezza.",
            backups: { days in
                let time = days == 1 ? "un giorno" : "\(days) giorni"
                return "Le copie di sicurezza contengono ancora questi dati e vengono rimosse dopo \(time)."
            }),
        ending: Ending(
            device: { "Chiudere l’accesso da «\($0)»?" }, service: { "Chiudere ogni accesso a \($0)?" },
            introduction: { "Chiudere l’accesso a \($0) da \($1)?" }, everything: "Chiudere tutto, ovunque?",
            erasure: "Cancellare i suoi dati?",
            deviceNote: "L’accesso su questo dispositivo termina, e si chiude tutto ciò che da lì è stato aperto.",
            serviceNote: "Si chiude tutto ciò che lì è stato aperto dai suoi dispositivi.",
            introductionNote: "Si chiude tutto ciò che lì è stato aperto da questo dispositivo, anche per le app.",
            everythingNote:
                """
                L’accesso termina su tutti i dispositivi, anche qui, e si chiude tutto ciò che da lì è stato aperto, \
                anche per le app.
                """,
            erasureNote: "L’operazione è irreversibile.",
            passwordNote: "Inserisca di nuovo la sua password, affinché nessuno agisca al suo posto.",
            reason: "Motivo (facoltativo; viene conservato e mostrato)", button: "Sì, chiudi",
            eraseButton: "Sì, cancella i miei dati",
            done: "È chiuso.", doneEverything: "Tutto è chiuso, anche questa sessione.",
            doneErasure: "I suoi dati sono stati cancellati, e la sessione è chiusa.",
            doneSignOut: "Uscita effettuata.",
            nothing: "Non c’era nulla da chiudere: era già chiuso."),
        administration: Administration(
            title: "Amministrazione", people: "Persone", versions: "Versioni", services: "Servizi",
            messages: "Messaggi", search: "Nome, nome utente o indirizzo e-mail", searchButton: "Cerca",
            locked: "Persone bloccate", name: "Persona", devices: "Dispositivi", lastUse: "Ultimo uso",
            state: "Stato", isLocked: "bloccata", open: "non bloccata", actions: "Azioni", more: "Mostra altro",
            platform: "Piattaforma",
            version: "Versione", blocked: "bloccata", admitted: "ammessa", withdrawn: "chiave ritirata",
            service: "Servizio", introductions: "Accessi", users: "Persone",
            servicesNote: "I servizi si registrano con «eduid admin service» o nel file dei servizi.",
            destination: "A", attempts: "Tentativi", due: "Prossimo tentativo", waiting: "da più di una settimana",
            send: "Invia ora", noMessages: "Tutti i servizi hanno confermato ciò che è stato loro comunicato.",
            versionsNote: "Con «eduid admin version» si registrano le versioni.",
            lock: "Blocca", unlock: "Sblocca", signOut: "Disconnetti", erase: "Cancella", block: "Blocca",
            unblock: "Ammetti", withdraw: "Ritira la chiave", since: "Data e ora del furto",
            sinceWanted: "Indichi quando la chiave è stata rubata.",
            lockTitle: { "Bloccare \($0)?" }, unlockTitle: { "Sbloccare \($0)?" },
            signOutTitle: { "Disconnettere \($0)?" }, eraseTitle: { "Cancellare i dati su \($0)?" },
            blockTitle: { "Bloccare \($0)?" }, unblockTitle: { "Ammettere di nuovo \($0)?" },
            withdrawTitle: { "Ritirare la chiave di \($0)?" },
            lockNote:
                "L’accesso termina su tutti i dispositivi, e nessuno può accedere con questo nome fino allo sblocco.",
            unlockNote: "La persona può accedere di nuovo.",
            signOutNote:
                "L’accesso della persona termina su tutti i dispositivi, e si chiude ciò che da lì è stato aperto.",
            eraseNote:
                """
                L’accesso termina su tutti i dispositivi, e ciò che è conservato sulla persona viene cancellato. \
                L’operazione è irreversibile.
                """,
            blockNote:
                "Tutti i dispositivi con questa versione perdono l’accesso, e si chiude ciò che da lì è stato aperto.",
            unblockNote:
                """
                I dispositivi con questa versione possono essere usati di nuovo; ciò che si è chiuso presso i servizi \
                resta chiuso.
                """,
            withdrawNote:
                """
                Ciò che è nato da questa chiave dopo il furto si chiude, e nessun dispositivo può più registrarsi con \
                essa.
                """,
            done: "Fatto.", part: "Una parte è fatta, ma non tutto. Ripeta finché tutto non sarà fatto.",
            unknown: "Non c’era nulla da fare."),
        failures: Failures(
            wrong: "Nome utente e password non corrispondono.",
            codeWanted: "Serve anche un codice monouso: inserisca quello mostrato dal suo dispositivo.",
            wrongCode: "Il codice monouso è errato o è già stato usato. Attenda il prossimo.",
            otherStep: "Con questo account si può accedere soltanto nell’app.",
            tooMany: "Da qui troppi tentativi sono falliti. Attenda 15 minuti.",
            locked: "Questo account è bloccato. Chi gestisce il servizio può dire perché.",
            stale: "Questa pagina è rimasta aperta troppo a lungo. Riprovi.",
            unavailable: "Il servizio non può rispondere in questo momento. Riprovi tra un minuto.",
            notFound: "Questa pagina non esiste",
            notFoundNote: "Forse è stata spostata, oppure l’indirizzo contiene un errore di battitura.",
            notAllowed: "Riservato all’amministrazione",
            notAllowedNote: "Ha effettuato l’accesso, ma non può amministrare questo servizio.",
            otherPerson: "Qui ha effettuato l’accesso un’altra persona. Esca prima da quell’account.",
            title: "Operazione non riuscita"),
        claims: [
            "name": "Nome completo", "given_name": "Nome", "family_name": "Cognome", "email": "Indirizzo e-mail",
            "preferred_username": "Nome utente", "birthdate": "Data di nascita", "locale": "Lingua",
            "affiliation": "Affiliazione", "phone_number": "Telefono", "gender": "Genere", "address": "Indirizzo",
        ])
}
