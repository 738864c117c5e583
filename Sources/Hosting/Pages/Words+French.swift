internal import TokenTree

extension Words {
    static let french = Words(
        general: General(
            skip: "Aller au contenu", sections: "Rubriques", languages: "Langues", help: "Aide",
            signedInAs: "Session de", signOut: "Se déconnecter", cancel: "Annuler",
            none: "Aucune entrée.", time: { day, month, year, time in "\(day).\(month).\(year), \(time)" }),
        signIn: SignIn(
            title: "Connexion",
            lead: "Consultez vos appareils et services, et mettez fin à ce dont vous n’avez plus besoin.",
            userName: "Nom d’utilisateur", password: "Mot de passe",
            code: "Code à usage unique, si vous en utilisez un", button: "Se connecter"),
        overview: Overview(
            title: "Appareils et services",
            lead:
                """
                Tout ce que vous avez ouvert dépend d’un appareil connecté à votre compte. Quand vous mettez fin à un \
                élément, tout ce qui en dépend prend fin en même temps, y compris auprès des services.
                """,
            apps:
                """
                Les applications qui ont reçu un accès à un service sont connues de ce service et de l’application \
                edu-ID de l’appareil, mais ne figurent pas ici. Leur accès prend fin avec le service dont il dépend.
                """,
            browser: "Navigateur", device: "Appareil sans nom", thisBrowser: "ce navigateur",
            noServices: "Aucun service n’est ouvert depuis cet appareil.", end: "Mettre fin à l’accès",
            signOutThis: "Se déconnecter",
            endEverything: "Mettre fin à tout, partout",
            since: { "depuis le \($0)" }, lastUse: { "dernière utilisation le \($0)" },
            more: { "et \($0) de plus" }),
        services: Services(
            title: "Ce que savent les services",
            lead: "Ces services ont été ouverts avec votre edu-ID. Chacun peut lire à votre sujet ce qui figure ici.",
            none: "Vous n’avez encore ouvert aucun service.",
            noAttributes: "Rien d’autre que l’identifiant auquel il vous reconnaît.",
            ownName: "Il vous connaît sous un identifiant qu’aucun autre service n’a.",
            commonName: "Il vous connaît sous le même identifiant que d’autres services.",
            closed: "Rien n’y est ouvert actuellement.", leave: "Mettre fin à tout accès",
            lastUse: { "Dernière utilisation le \($0)" }),
        activity: Activity(
            title: "Activité récente",
            lead:
                """
                Si vous voyez ici quelque chose qui ne vient pas de vous, mettez fin à l’accès depuis cet appareil et \
                changez votre mot de passe.
                """,
            none: "Il ne s’est encore rien passé.", time: "Quand", event: "Quoi", reason: "Pourquoi",
            unnamed: "un appareil",
            signedIn: { "Connexion sur \($0)" }, signedOut: { "Déconnexion sur \($0)" },
            introduced: { "Accès à \($0) ouvert sur \($1)" }, ended: { "Accès à \($0) terminé sur \($1)" },
            reasons: { reason in
                switch reason {
                case .surrendered: "déconnecté sur place"
                case .user: "vous y avez mis fin"
                case .administrator: "l’administration y a mis fin, ou ce dont cela dépendait a pris fin"
                case .issuer: "repris par son émetteur"
                case .superseded: "remplacé par un plus récent"
                case .replayed, .refreshReused: "quelque chose a été utilisé deux fois, comme si on l’avait copié"
                case .misused: "utilisé pour autre chose que ce à quoi il sert"
                case .barred: "l’appareil a été exclu"
                }
            }),
        data: Data(
            title: "Mes données", profile: "À votre sujet",
            profileNote: "Ces données viennent de votre institution, qui peut les corriger.",
            noProfile: "Rien n’est connu de vous que votre nom d’utilisateur.", download: "Télécharger",
            downloadNote:
                "Tout ce qui est conservé ici à votre sujet, en un fichier lisible par des programmes (JSON).",
            downloadButton: "Télécharger mes données", erase: "Effacer",
            eraseNote:
                """
                Toutes vos sessions prennent fin, tous les services en sont informés, et ce qui est conservé ici à \
                votre sujet est effacé. Votre compte auprès de votre institution demeure, et vous pouvez recommencer.
                """,
            records:
                """
                Les journaux ne vous nomment pas : ils contiennent des nombres aléatoires, et ce qui mène de ceux-ci \
                à vous est effacé.
                """,
            eraseButton: "Effacer mes données",
            backupsUnsaid:
                "Demandez aux responsables de ce service combien de temps les copies de sauvegarde sont conservées.",
            backups: { days in
                let time = days == 1 ? "un jour" : "\(days) jours"
                return "Les copies de sauvegarde contiennent encore ces données et sont supprimées après \(time)."
            }),
        ending: Ending(
            device: { "Mettre fin à l’accès depuis « \($0) » ?" }, service: { "Mettre fin à tout accès à \($0) ?" },
            introduction: { "Mettre fin à l’accès à \($0) depuis \($1) ?" }, everything: "Mettre fin à tout, partout ?",
            erasure: "Effacer vos données ?",
            deviceNote:
                "Votre session sur cet appareil prend fin, et avec elle tout ce qui a été ouvert depuis cet appareil.",
            serviceNote: "Tout ce qui y a été ouvert depuis vos appareils prend fin.",
            introductionNote: "Tout ce qui y a été ouvert depuis cet appareil prend fin, pour les applications aussi.",
            everythingNote:
                """
                Vos sessions prennent fin sur tous vos appareils, ici aussi, et avec elles tout ce qui a été ouvert \
                depuis ceux-ci, pour les applications aussi.
                """,
            erasureNote: "Cette opération est irréversible.",
            passwordNote:
                "Veuillez saisir à nouveau votre mot de passe, afin que personne d’autre n’agisse à votre place.",
            reason: "Motif (facultatif ; il est conservé et affiché)", button: "Oui, y mettre fin",
            eraseButton: "Oui, effacer mes données",
            done: "C’est terminé.", doneEverything: "Tout a pris fin, y compris cette session.",
            doneErasure: "Vos données sont effacées, et votre session a pris fin.",
            doneSignOut: "Déconnexion effectuée.",
            nothing: "Il n’y avait rien à terminer : c’était déjà fait."),
        administration: Administration(
            title: "Administration", people: "Personnes", versions: "Versions", services: "Services",
            messages: "Messages", search: "Nom, nom d’utilisateur ou adresse e-mail", searchButton: "Chercher",
            locked: "Personnes bloquées", name: "Personne", devices: "Appareils", lastUse: "Dernière utilisation",
            state: "État", isLocked: "bloquée", open: "non bloquée", actions: "Actions", more: "Suite",
            platform: "Plateforme",
            version: "Version", blocked: "bloquée", admitted: "admise", withdrawn: "clé retirée",
            service: "Service", introductions: "Accès", users: "Personnes",
            servicesNote: "Les services s’inscrivent avec « eduid admin service » ou dans le fichier des services.",
            destination: "À", attempts: "Tentatives", due: "Prochaine tentative", waiting: "depuis plus d’une semaine",
            send: "Envoyer maintenant", noMessages: "Tous les services ont confirmé ce qui leur a été annoncé.",
            versionsNote: "« eduid admin version » inscrit des versions.",
            lock: "Bloquer", unlock: "Débloquer", signOut: "Déconnecter", erase: "Effacer", block: "Bloquer",
            unblock: "Admettre", withdraw: "Retirer la clé", since: "Date et heure du vol",
            sinceWanted: "Veuillez indiquer quand la clé a été volée.",
            lockTitle: { "Bloquer \($0) ?" }, unlockTitle: { "Débloquer \($0) ?" },
            signOutTitle: { "Déconnecter \($0) ?" }, eraseTitle: { "Effacer les données concernant \($0) ?" },
            blockTitle: { "Bloquer \($0) ?" }, unblockTitle: { "Admettre à nouveau \($0) ?" },
            withdrawTitle: { "Retirer la clé de \($0) ?" },
            lockNote:
                "Tous les appareils sont déconnectés, et personne ne peut se connecter sous ce nom jusqu’au déblocage.",
            unlockNote: "La personne peut se connecter à nouveau.",
            signOutNote:
                "Tous les appareils de la personne sont déconnectés, et ce qui a été ouvert depuis ceux-ci prend fin.",
            eraseNote:
                """
                Tous les appareils sont déconnectés, et ce qui est conservé au sujet de la personne est effacé. Cette \
                opération est irréversible.
                """,
            blockNote:
                "Tous les appareils de cette version perdent l’accès, et ce qui a été ouvert depuis ceux-ci prend fin.",
            unblockNote:
                """
                Les appareils de cette version peuvent de nouveau servir ; ce qui a pris fin auprès des services le \
                reste.
                """,
            withdrawNote:
                """
                Ce qui est issu de cette clé depuis le vol prend fin, et aucun appareil ne peut plus s’enregistrer \
                avec elle.
                """,
            done: "C’est fait.",
            part: "Une partie est faite, mais pas tout. Veuillez recommencer jusqu’à ce que tout soit fait.",
            unknown: "Il n’y avait rien à faire."),
        failures: Failures(
            wrong: "Le nom d’utilisateur et le mot de passe ne correspondent pas.",
            codeWanted: "Il faut aussi un code à usage unique : saisissez celui que montre votre appareil.",
            wrongCode: "Le code à usage unique est faux ou a déjà servi. Attendez le suivant.",
            otherStep: "Avec ce compte, la connexion n’est possible que dans l’application.",
            tooMany: "Trop de tentatives ont échoué depuis votre connexion. Veuillez attendre 15 minutes.",
            locked: "Ce compte est bloqué. Les responsables de ce service peuvent vous dire pourquoi.",
            stale: "Cette page était ouverte depuis trop longtemps. Veuillez recommencer.",
            unavailable: "Le service ne peut pas répondre en ce moment. Veuillez réessayer dans une minute.",
            notFound: "Cette page n’existe pas",
            notFoundNote: "Elle a peut-être changé de place, ou l’adresse contient une faute de frappe.",
            notAllowed: "Réservé à l’administration",
            notAllowedNote: "Votre session est ouverte, mais ne permet pas d’administrer ce service.",
            otherPerson: "Une autre personne est connectée ici. Veuillez d’abord vous déconnecter.",
            title: "L’opération a échoué"),
        claims: [
            "name": "Nom complet", "given_name": "Prénom", "family_name": "Nom", "email": "Adresse e-mail",
            "preferred_username": "Nom d’utilisateur", "birthdate": "Date de naissance", "locale": "Langue",
            "affiliation": "Affiliation", "phone_number": "Téléphone", "gender": "Genre", "address": "Adresse",
        ])
}
