import Federation
import Foundation
import NAIL
import OAuth2Grants
import RSD2
import Wire

// What is open on a person's devices, and how each of it is ended.

extension Phone {
    static let list = Command(
        name: "list", abstract: "Show your devices, services and apps, and how each is ended.",
        options: [folder, .output],
        discussion: """
            As JSON: devices (objects with id, name and this), services (objects with url, name and
            apps, an array of objects with id, scope and this).
            """
    ) { (invocation, console) throws(Failure) in
        let app = try open(invocation, console)
        let found = try waiting { () async throws(Rejection) in try await Open(of: app) }
        if invocation.isForPrograms { return console.report(found.members) }
        for line in found.lines { console.say(line) }
    }

    private static let kind = Argument(
        name: "what", kind: .choice(["device", "service", "app", "everything"]), abstract: "What kind of thing ends.")
    private static let names = Argument(
        name: "name", kind: .text, abstract: "Which one, as 'eduid phone list' shows it.", arity: .any)

    static let end = Command(
        name: "end", abstract: "End a device, a service, an app at a service, or everything.",
        arguments: [kind, names], options: [folder],
        discussion: """
            What stands on it ends with it: with a service all apps there, with a device all that
            was given through it.

              eduid phone end app com.example.reader http://localhost:8081/
              eduid phone end service http://localhost:8081/
              eduid phone end device 0b3f…
              eduid phone end everything
            """
    ) { (invocation, console) throws(Failure) in
        let app = try open(invocation, console)
        let names = invocation.all(names)
        func service(_ place: Int) throws(Failure) -> ServiceURL {
            guard names.count == place + 1 else { throw .misuse("Missing the URL of the service") }
            return try Failure.refusing("the URL of the service", try ServiceURL(parsing: names[place]))
        }
        switch try invocation.required(kind) {
        case "service":
            let url = try service(0)
            let ended = try waiting { () async throws(Rejection) -> AuthorizingApp.Ended? in
                if await app.session.authorizedServices.contains(url) { return try await app.unlink(url) }
                return try await app.disconnect(url) ? .confirmed : nil
            }
            guard let ended else { throw .refused("nothing of yours lives at \(url)") }
            say(ended, "What \(url) gave is over", &console)
        case "app":
            let url = try service(1)
            let id: BundleID = try Failure.refusing("the id of the app", try BundleID(parsing: names[0]))
            let ended = try waiting { () async throws(Rejection) -> AuthorizingApp.Ended? in
                let isGiven = await app.session.givenAuthorizations.contains { $0.app == id && $0.service == url }
                if isGiven { return try await app.end(id, at: url) }
                return try await app.disconnect(id, at: url) ? .confirmed : nil
            }
            guard let ended else { throw .refused("\(id.text) has nothing at \(url)") }
            say(ended, "What \(id.text) was given at \(url) is over", &console)
        case "device":
            guard names.count == 1 else { throw .misuse("Missing the name of the device") }
            let id: ClientID = try Failure.refusing("the name of the device", try ClientID(parsing: names[0]))
            guard try waiting({ () async throws(Rejection) in try await app.disconnect(id) }) else {
                throw .refused("there is no such device")
            }
            console.say("That device is signed out, and all that was given through it is over.")
        default:
            guard names.isEmpty else { throw .misuse("Unexpected argument '\(names[0])'") }
            try waiting { () async throws(Rejection) in try await app.endEverything() }
            console.say("All your devices are signed out, this one too, and all that apps were given is over.")
        }
    }

    /// What is open.
    private struct Open: Sendable {
        let person: String?
        var devices: [AuthorizingApp.LinkedInstance]
        var services: [(service: AuthorizingApp.UsedService, apps: [AuthorizingApp.AppGrant])] = []

        init(of app: AuthorizingApp) async throws(Rejection) {
            person = Phone.name(in: await app.session)
            devices = try await app.instances()
            let held = await app.session.authorizedServices
            for service in try await app.services() {
                let apps = held.contains(service.url) ? try await app.apps(at: service.url) : []
                services.append((service, apps))
            }
        }

        var lines: [String] {
            var lines = [person ?? "You"]
            for device in devices {
                let words = [device.name, device.version, device.isThis ? "this one" : nil].compactMap { $0 }
                lines.append("├ device   \(words.joined(separator: ", "))")
                lines.append("│          end: eduid phone end device \(device.id)")
            }
            for (service, apps) in services {
                lines.append("├ service  \(service.name ?? ""), \(service.url)")
                lines.append("│          end: eduid phone end service \(service.url)")
                for grant in apps {
                    lines.append("│ └ app    \(grant.app.text)\(grant.isThis ? "" : ", through another device")")
                    lines.append("│          may use \(grant.scope.text)")
                    lines.append("│          end: eduid phone end app \(grant.app.text) \(service.url)")
                }
            }
            lines.append("└ all of it: eduid phone end everything")
            return lines
        }

        var members: JSON.Object {
            [
                "devices": .array(
                    devices.map { device in
                        [
                            "id": .string(device.id.text), "name": device.name.map { .string($0) } ?? .null,
                            "this": .bool(device.isThis),
                        ]
                    }),
                "services": .array(
                    services.map { service, apps in
                        [
                            "url": .string(service.url.identity), "name": service.name.map { .string($0) } ?? .null,
                            "apps": .array(
                                apps.map { grant in
                                    [
                                        "id": .string(grant.app.text), "scope": .string(grant.scope.text),
                                        "this": .bool(grant.isThis),
                                    ]
                                }),
                        ]
                    }),
            ]
        }
    }
}
