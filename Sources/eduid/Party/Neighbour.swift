import Federation
import Foundation
import Hosting
import RSD2
import Wire

/// What belongs beside a party: a web server in front of it, or a manager that runs it.
enum Neighbour: String, CaseIterable {
    case nginx, lighttpd, apache, cgi, systemd, container

    /// What is to be written into its configuration for a party.
    func text(for configuration: Configuration, _ console: Console) throws(Failure) -> String {
        let party = try Party(configuration, console)
        let isByCGI = configuration.listening.isByCGI
        switch self {
        case .nginx where isByCGI: throw .refused("nginx starts no programs by CGI; take lighttpd or apache")
        case .cgi where !isByCGI: throw .refused("'listen' in '\(configuration.folder)' has to say 'cgi: true'")
        default: break
        }
        return switch self {
        case .nginx: party.nginx
        case .lighttpd: isByCGI ? party.lighttpdByCGI : party.lighttpd
        case .apache: party.apache
        case .cgi: party.program
        case .systemd: party.systemd
        case .container: party.container
        }
    }
}

/// What the neighbours of a party have to know.
private struct Party {
    let configuration: Configuration
    let host: String
    /// Where requests are the party's own: paths, and those with whatever lies below them.
    let paths: [String]
    /// The paths of protocols that stand behind the party's guard.
    let guarded: [String]

    init(_ configuration: Configuration, _ console: Console) throws(Failure) {
        self.configuration = configuration
        let base = configuration.base
        host = base.host.text
        guard case .service(let service) = configuration.role else {
            // All that lies below, endpoints and pages.
            let path = base.path.hasSuffix("/") ? base.path : base.path + "/"
            (paths, guarded) = ([path, Self.metadata(base.path)], [])
            return
        }
        let party = try service.party(configuration, console)
        var paths: [String] = []
        for place in party.endpointPlaces.compactMap({ try? WebURL(parsing: $0) }) where !paths.contains(place.path) {
            paths.append(place.path)
        }
        if let component = try? party.document.endpoint(for: "org.ietf.oauth2").path {
            paths.removeAll { $0.hasPrefix(component + "/") }
            paths.insert(component + "/", at: 0)
        }
        self.paths = paths
        guarded = party.document.apis.compactMap { api in
            api.name.belongsToOAuth2 ? nil : (try? party.document.endpoint(for: api.name))?.path
        }
    }

    private static func metadata(_ path: String) -> String {
        "/.well-known/oauth-authorization-server" + (path.hasSuffix("/") ? String(path.dropLast()) : path)
    }

    private var listening: Configuration.Listening { configuration.listening }
    /// The port of the party's URL.
    private var port: UInt16 { configuration.base.port.map { UInt16($0) } ?? 443 }
    private var isSCGI: Bool { listening.http.isEmpty }

    /// Where the party listens, as web servers write it.
    private func place(_ address: Address?, scheme: String) -> String {
        switch address {
        case .path(let path)?: "\(scheme)unix:\(path)"
        case .loopback(let port)?: "\(scheme)127.0.0.1:\(port)"
        case let other?: "\(scheme)\(other)"
        case nil: "\(scheme)127.0.0.1:8080"
        }
    }
}

// MARK: - nginx

extension Party {
    fileprivate var nginx: String {
        let backend =
            isSCGI
            ? """
                    include scgi_params;
                    scgi_pass \(place(listening.scgi.first, scheme: ""));
            """
            : """
                    proxy_pass \(place(listening.http.first, scheme: "http://"));
                    proxy_http_version 1.1;
                    proxy_set_header Host $host;
                    proxy_set_header X-Forwarded-For $remote_addr;
                    proxy_set_header X-Forwarded-Proto $scheme;
            """
        var text = """
            server {
                listen \(port) ssl;
                listen [::]:\(port) ssl;
                server_name \(host);
                ssl_certificate     /etc/ssl/certs/\(host).pem;
                ssl_certificate_key /etc/ssl/private/\(host).key;
                ssl_protocols TLSv1.2 TLSv1.3;
                client_max_body_size 1m;
                # A proof is taken once: nobody but the client can ask again, with another one.
                proxy_next_upstream off;
                scgi_next_upstream off;


            """
        for path in paths {
            text += """
                    location \(path.hasSuffix("/") ? "^~" : "=") \(path) {
                \(backend)
                    }


                """
        }
        if let door = listening.guarding.first { text += nginxGuard(at: door) }
        return text + "}\n"
    }

    private func nginxGuard(at door: Address) -> String {
        let address =
            if case .path(let path) = door { "http://unix:\(path):/" } else { place(door, scheme: "http://") + "/" }
        var text = """
                # Who may see what lies below: asked for each request, and told to whatever answers it.
                location = /.eduid-guard {
                    internal;
                    proxy_pass \(address);
                    proxy_pass_request_body off;
                    proxy_set_header Content-Length "";
                    proxy_set_header Host $host;
                    proxy_set_header X-Original-Method $request_method;
                    proxy_set_header X-Original-URI $request_uri;
                }


            """
        for path in guarded.isEmpty ? ["/protected"] : guarded {
            text += """
                    location ^~ \(path)/ {
                        auth_request /.eduid-guard;
                        auth_request_set $eduid_subject $upstream_http_eduid_subject;
                        auth_request_set $eduid_app $upstream_http_eduid_app;
                        auth_request_set $eduid_scope $upstream_http_eduid_scope;
                        auth_request_set $eduid_attributes $upstream_http_eduid_attributes;
                        # What stands behind it; these four replace whatever a client has sent under these names.
                        #   proxy_set_header Eduid-Subject $eduid_subject;
                        #   proxy_set_header Eduid-App $eduid_app;
                        #   proxy_set_header Eduid-Scope $eduid_scope;
                        #   proxy_set_header Eduid-Attributes $eduid_attributes;
                        #   proxy_set_header Authorization "";
                        #   proxy_set_header DPoP "";
                        root /var/www/\(host);
                    }


                """
        }
        return text
    }
}

// MARK: - lighttpd and Apache

extension Party {
    /// The paths as a regular expression.
    ///
    /// - Parameter end: where a path ends below which there is nothing.
    fileprivate func pattern(until end: String = "$") -> String {
        let words = paths.map { path in
            let escaped = path.replacing(".", with: "\\.")
            return path.hasSuffix("/") ? escaped : escaped + end
        }
        return "^(" + words.joined(separator: "|") + ")"
    }

    fileprivate var lighttpd: String {
        let (host, port): (String, String)
        switch (isSCGI ? listening.scgi : listening.http).first {
        case .path(let path)?: (host, port) = (path, "")
        case .loopback(let number)?: (host, port) = ("127.0.0.1", ", \"port\" => \(number)")
        case let other?:
            let words = "\(other)".split(separator: ":").map(String.init)
            (host, port) = (words.dropLast().joined(separator: ":"), ", \"port\" => \(words.last ?? "8080")")
        case nil: (host, port) = ("127.0.0.1", ", \"port\" => 8080")
        }
        let place = host.hasPrefix("/") ? "\"socket\" => \"\(host)\"" : "\"host\" => \"\(host)\"\(port)"
        let module = isSCGI ? "scgi" : "proxy"
        let detail = isSCGI ? ", \"check-local\" => \"disable\"" : ""
        return lighttpd(
            modules: ["mod_\(module)"],
            saying: [
                "$HTTP[\"url\"] =~ \"\(pattern())\" {",
                "    \(module).server = ( \"\" => (( \(place)\(detail) )) )",
                "}",
            ])
    }

    /// A configuration of lighttpd in which these lines are about the party's host.
    fileprivate func lighttpd(modules: [String], saying lines: [String]) -> String {
        """
        # These two stand once, however many parties there are.
        server.modules += ( \((["mod_openssl"] + modules).map { "\"\($0)\"" }.joined(separator: ", ")) )
        server.max-request-size = 1024
        $SERVER["socket"] == ":\(port)" {
            ssl.engine = "enable"
            ssl.pemfile = "/etc/ssl/certs/\(host).pem"
            ssl.privkey = "/etc/ssl/private/\(host).key"
        }
        $HTTP["host"] == "\(host)" {
        \(lines.map { "    \($0)" }.joined(separator: "\n"))
        }

        """
    }

    /// What has Apache ask the party, and the modules that this takes.
    private var apachePasses: (modules: String, lines: [String]) {
        let scheme = isSCGI ? "scgi://" : "http://"
        let backend: String
        switch (isSCGI ? listening.scgi : listening.http).first {
        case .path(let path)?: backend = "unix:\(path)|\(scheme)localhost"
        case let other: backend = place(other, scheme: scheme)
        }
        let passes = paths.map { "ProxyPass \"\($0)\" \"\(backend)\($0)\" nocanon" }
        return ("proxy proxy_\(isSCGI ? "scgi" : "http")", ["ProxyPreserveHost On"] + passes)
    }

    fileprivate var apache: String {
        let (modules, lines) = listening.isByCGI ? apacheStarts : apachePasses
        return """
            # a2enmod ssl \(modules)
            <VirtualHost *:\(port)>
                ServerName \(host)
                SSLEngine on
                SSLCertificateFile /etc/ssl/certs/\(host).pem
                SSLCertificateKeyFile /etc/ssl/private/\(host).key
                <Location "/">
                    # Without this the party never sees a token.
                    CGIPassAuth On
                </Location>
                LimitRequestBody 1048576
            \(lines.map { "    " + $0 }.joined(separator: "\n"))
            </VirtualHost>

            """
    }
}

// MARK: - CGI

extension Party {
    /// Where web servers of Debian look for programs.
    private var programPlace: String { "/usr/lib/cgi-bin/\(host).cgi" }

    /// The folder, whatever the folder is from which a web server starts programs.
    private var folder: String { URL(filePath: configuration.folder).standardizedFileURL.path }

    /// A word of the shell, in which nothing means anything.
    private static func quoted(_ word: String) -> String { "'" + word.replacing("'", with: "'\\''") + "'" }

    /// What a web server starts: it hands on no words of a client's, and none would be listened to (CGI-5).
    fileprivate var program: String {
        let crawl =
            if case .eduID = configuration.role {
                "\n# 7 * * * * /usr/local/bin/eduid admin run \(Self.quoted(folder)) crawl"
            } else {
                ""
            }
        return """
            #!/bin/sh
            # \(programPlace)
            # The web server starts it for each request, as the user who owns the folder. What timers do is done by
            # lines of that user's for 'cron':
            # * * * * * /usr/local/bin/eduid admin run \(Self.quoted(folder)) due\(crawl)
            \(Running.folderVariable)=\(Self.quoted(folder))
            export \(Running.folderVariable)
            exec /usr/local/bin/eduid

            """
    }

    fileprivate var lighttpdByCGI: String {
        // What was asked for is told by REQUEST_URI all the same.
        lighttpd(
            modules: ["mod_rewrite", "mod_alias", "mod_cgi"],
            saying: [
                "url.rewrite-once = ( \"\(pattern(until: "(\\?|$)"))\" => \"/\(host).cgi\" )",
                "alias.url = ( \"/\(host).cgi\" => \"\(programPlace)\" )",
                "cgi.assign = ( \"/\(host).cgi\" => \"\" )",
            ])
    }

    fileprivate var apacheStarts: (modules: String, lines: [String]) {
        let place = programPlace.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        return (
            "cgid",
            [
                "ScriptAliasMatch \"\(pattern())\" \"\(programPlace)\"", "<Directory \"\(place)\">",
                "    Require all granted", "</Directory>",
            ]
        )
    }
}

// MARK: - systemd and containers

extension Party {
    /// A unit that lets the party do what it needs, and nothing else (SYS-9).
    fileprivate var systemd: String {
        """
        # /etc/systemd/system/eduid@.service: systemctl enable --now eduid@NAME runs the party in /var/lib/eduid/NAME
        [Unit]
        Description=edu-ID party %i
        After=network-online.target
        Wants=network-online.target

        [Service]
        Type=notify
        ExecStart=/usr/local/bin/eduid serve /var/lib/eduid/%i
        ExecReload=/bin/kill -HUP $MAINPID
        Restart=on-failure
        TimeoutStopSec=30
        WatchdogSec=30

        # The folder becomes this process's own. Keys that nobody but root can read lie elsewhere, and are handed over
        # by the names that 'eduid.yaml' gives them; they are rotated where they lie:
        # LoadCredential=signing.jwk:/etc/eduid/%i/signing.jwk
        # LoadCredential=secret:/etc/eduid/%i/secret

        # Sockets for the web server, which is in the group, are in /run/eduid/%i.
        DynamicUser=yes
        StateDirectory=eduid/%i
        StateDirectoryMode=0700
        RuntimeDirectory=eduid/%i
        Group=www-data
        UMask=0077

        ProtectSystem=strict
        ProtectHome=yes
        PrivateTmp=yes
        PrivateDevices=yes
        ProtectKernelTunables=yes
        ProtectKernelModules=yes
        ProtectControlGroups=yes
        ProtectClock=yes
        ProtectHostname=yes
        LockPersonality=yes
        NoNewPrivileges=yes
        CapabilityBoundingSet=
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        MemoryDenyWriteExecute=yes
        SystemCallArchitectures=native
        SystemCallFilter=@system-service
        LimitNOFILE=65536

        [Install]
        WantedBy=multi-user.target

        """
    }

    fileprivate var container: String {
        """
        # docker build -t eduid . && docker run -v /srv/eduid:/party -p 127.0.0.1:8080:8080 eduid
        # In 'eduid.yaml': listen: http: 0.0.0.0:8080, because loopback is the container's own; only the web server in
        # front may reach the port. The folder belongs to user 10001: chown -R 10001 /srv/eduid
        FROM swift:6.2 AS build
        WORKDIR /source
        COPY . .
        RUN swift build -c release --product eduid --static-swift-stdlib

        FROM debian:12-slim
        COPY --from=build /source/.build/release/eduid /usr/local/bin/eduid
        USER 10001
        VOLUME /party
        EXPOSE 8080
        STOPSIGNAL SIGTERM
        ENTRYPOINT ["/usr/local/bin/eduid", "serve", "/party"]

        """
    }
}
