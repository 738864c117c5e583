"""Whether the simulation of whole federations finds what goes wrong in them: deliberate defects, each a plausible slip in one line.

defects.py FOLDER [HISTORIES [NUMBER…]]
defects.py --check

All of them are put at once into a copy of the tree, each behind a condition that `EDUID_DEFECT` makes true, so that one build serves all. With
none of them that many histories must hold; with each of them one must not. Without numbers, all are tried. Prints how many histories each took,
and the law that noticed it; exit status 1 if one was not found. --check only looks whether each still has its place.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

SEED = 0
EDUID = "Sources/Federation/EduID/"
SERVICE = "Sources/Federation/Service/"
AUTHORITY = "Sources/Federation/Authority/"
APP = "Sources/Federation/App/"
EXCHANGE = "Sources/Federation/Exchange/"
HOSTING = "Sources/Federation/Hosting/"
TREE = "Sources/TokenTree/"
NAIL = "Sources/NAIL/"
SIMULATION = "Sources/FederationTesting/Simulation/"

# What is wrong in words, where, the text that stands there once, and what a slip makes of it: DEFECT is true where the slip was made.
DEFECTS = [
    # What people and administrators end.
    ("a session is signed out and does not end", EDUID + "Revocation.swift",
     "return Answer(confirmed, ending(meant, .surrendered, at: asking.now))",
     "return Answer(confirmed, DEFECT ? [] : ending(meant, .surrendered, at: asking.now))"),
    ("a service confirms an end and ends nothing", SERVICE + "ServiceRevocation.swift",
     "changes.append(.revoke(meant.record.id, .surrendered))",
     "if !DEFECT { changes.append(.revoke(meant.record.id, .surrendered)) }"),
    ("a plain token that was renewed is nobody's to end", AUTHORITY + "Requester.swift",
     "return isOwned && OpaqueToken.opensAny(lineage.record) ||",
     "return !DEFECT && isOwned && OpaqueToken.opensAny(lineage.record) ||"),
    ("an app's last token ends, and what it had before does not", SERVICE + "ServiceRevocation.swift",
     "changes += former.prefix(endedAtOnce).map { .revoke($0, .surrendered) }",
     "if !DEFECT { changes += former.prefix(endedAtOnce).map { .revoke($0, .surrendered) } }"),
    ("assertions are taken back and nobody is told", EDUID + "Revocation.swift",
     "return [.enqueue(message), .revoke(assertion.record.id, .administrator)]",
     "return (DEFECT ? [] : [.enqueue(message)]) + [.revoke(assertion.record.id, .administrator)]"),
    ("a version that is shut out does not concern assertions", EDUID + "Revocation.swift",
     "guard !isAdmitted(assertion) || !assertion",
     "guard !DEFECT && !isAdmitted(assertion) || !assertion"),
    ("a message counts as delivered though nobody confirmed it", EDUID + "Revocation.swift",
     "guard Self.confirms(response) || isNowhere && Self.confirms(other) else { return [] }",
     "guard DEFECT || Self.confirms(response) || isNowhere && Self.confirms(other) else { return [] }"),
    ("messages to one service have one name", EDUID + "Revocation.swift",
     'id: .named("revocation of " + assertion.record.id.text)',
     'id: .named("revocation of " + (DEFECT ? service.text : assertion.record.id.text))'),
    ("who is signed out everywhere is signed out once", EDUID + "Administration.swift",
     "let ends = personals.prefix(endedAtOnce).flatMap { [now = asking.now] in ending($0, reason, remark, at: now) }",
     "let ends = personals.prefix(DEFECT ? 1 : endedAtOnce).flatMap { [now = asking.now] in "
     "ending($0, reason, remark, at: now) }"),
    ("a lock is not stored", EDUID + "Administration.swift",
     "answer.changes = try asking.locking(.init(user), of: user, remark) + answer.changes",
     "if !DEFECT { answer.changes = try asking.locking(.init(user), of: user, remark) + answer.changes }"),
    ("who is rejected is only ended", EDUID + "Administration.swift",
     "ending(lineage, .barred, remark, at: asking.now)",
     "ending(lineage, DEFECT ? .administrator : .barred, remark, at: asking.now)"),
    ("what the edu-ID service takes back is confirmed and does not end", SERVICE + "ServiceRevocation.swift",
     "changes += try end(ofAssertion: name, &asking)",
     "if !DEFECT { changes += try end(ofAssertion: name, &asking) }"),
    ("an assertion stands beside the session that it is about", EDUID + "Assertions.swift",
     "kind: .assertion, parent: affiliation?.id ?? personal.record.id,",
     "kind: .assertion, parent: DEFECT ? personal.record.parent : affiliation?.id ?? personal.record.id,"),
    ("services are told of ends where they give tokens", EDUID + "Revocation.swift",
     '-> WebURL? { endpoint(of: service, "revoke") }',
     '-> WebURL? { endpoint(of: service, DEFECT ? "token" : "revoke") }'),
    ("a service that has left or moved is told nothing", EDUID + "Revocation.swift",
     "let former = message.formerEndpoint.flatMap { former in",
     "let former = DEFECT ? nil : message.formerEndpoint.flatMap { former in"),
    # Who may come in.
    ("a version that an administrator shut out is admitted", EDUID + "Registration.swift",
     "|| record?.attributes[Self.blocked]?.bool == true",
     "|| record?.attributes[Self.blocked]?.bool == true && !DEFECT"),
    ("a registration does not ask whether its version is shut out", EDUID + "Registration.swift",
     "version?.isBlocked = isExcluded(known, by: ground?.record)",
     "version?.isBlocked = isExcluded(known, by: DEFECT ? nil : ground?.record)"),
    ("whether a version is shut out is asked at registration only", EDUID + "SignIn.swift",
     "guard !isAdmitted(lineage) else { return }",
     "guard !DEFECT, !isAdmitted(lineage) else { return }"),
    ("the name of who is rejected is free again", TREE + "Memory/Contents+Changes.swift",
     "} else if reason != .barred {",
     "} else if reason != .barred || DEFECT {"),
    ("an ended grant opens the service", AUTHORITY + "Requester.swift",
     "guard suffices else {",
     "guard suffices || DEFECT else {"),
    ("a refusal does not say why", EDUID + "SignIn.swift",
     '"another user is signed in on this instance, and has to sign out first", "USR-1")',
     '"another user is signed in on this instance, and has to sign out first", DEFECT ? "" : "USR-1")'),
    # What comes twice.
    ("what must not pass again is remembered and not looked at", TREE + "Memory/Contents+Changes.swift",
     "if let conflict = replays.conflict(",
     "if !DEFECT, let conflict = replays.conflict("),
    ("what must not pass again is remembered for half as long", TREE + "Memory/Contents+Changes.swift",
     "let old = replays.remember(key, until: until)",
     "let old = replays.remember(key, until: DEFECT ? now + (until - now) / 2 : until)"),
    ("the window of what must not pass again ends too early", TREE + "Memory/ReplayMemory.swift",
     "if let until = self[key], time < until {",
     "if let until = self[key], time + .seconds(DEFECT ? 40 : 0) < until {"),
    ("the name of a proof is forgotten when the proof is made", "Sources/OAuth2Grants/Possession/Possession.swift",
     "func end(ofProofMadeAt time: Timestamp) -> Timestamp { time + window + .seconds(1) }",
     "func end(ofProofMadeAt time: Timestamp) -> Timestamp { DEFECT ? time : time + window + .seconds(1) }"),
    # What is stored, and what is lost.
    ("an answer does not wait for a single change", EXCHANGE + "Driver.swift",
     "let outcome = decision.batch.changes.isEmpty ? .applied : try commit(decision.batch)",
     "let outcome = decision.batch.changes.isEmpty || DEFECT && decision.batch.changes.count == 1 "
     "? .applied : try commit(decision.batch)"),
    ("a verdict looks no further than the record before", TREE + "Memory/Contents.swift",
     "            current = life.parent\n        }\n        return judgement",
     "            if DEFECT, current != slot { break }\n            current = life.parent\n        }\n        return judgement"),
    ("a lineage is judged by its record alone", TREE + "Verdicts/Lineage.swift",
     "let verdict = verdict(over: entries.indices, at: now)",
     "let verdict = verdict(over: DEFECT ? 0..<1 : entries.indices, at: now)"),
    ("a purge does not ask who lives", TREE + "Memory/Purge.swift",
     "guard let death = ends.compactMap({ $0 }).min() else { return false }",
     "guard let death = ends.compactMap({ $0 }).min() else { return DEFECT }"),
    ("the journal leaves out why something ended", TREE + "Changes/Change+JSON.swift",
     '            members.member("reason", word: reason)\n',
     '            if !DEFECT { members.member("reason", word: reason) }\n'),
    ("a journal keeps nothing of what a batch changes", SIMULATION + "Disk.swift",
     "return tree.commit(batch, journal: &bytes)",
     "var unwritten = bytes\nreturn DEFECT ? tree.commit(batch, journal: &unwritten) "
     ": tree.commit(batch, journal: &bytes)"),
    ("the end of a journal never reached the disk", SIMULATION + "Disk.swift",
     "try restoration.read(piece)",
     "try restoration.read(DEFECT && pieces.isEmpty ? Array(piece.dropLast(200)) : piece)"),
    ("a message that was not confirmed is never due again", TREE + "Records/OutgoingMessage.swift",
     "return now + delay(afterAttempts: message.attempts + 1, using: &entropy)",
     "return now + delay(afterAttempts: message.attempts + 1, using: &entropy) + .seconds(DEFECT ? 4_000_000 : 0)"),
    ("whoever introduces a user to one service ends the others", EDUID + "Assertions.swift",
     "guard assertion.record.audience == record.audience, fate.revocation == nil",
     "guard DEFECT || assertion.record.audience == record.audience, fate.revocation == nil"),
    ("a message that was delivered is not settled", HOSTING + "Upkeep.swift",
     "guard !settlement.isEmpty, try store.commit(Batch(at: now, settlement)) == .applied",
     "guard !DEFECT, !settlement.isEmpty, try store.commit(Batch(at: now, settlement)) == .applied"),
    ("a message is stored and not queued", TREE + "Memory/Outbox.swift",
     "queue.insert(DueQueue.Entry(time: new.due, id: id))",
     "if !DEFECT { queue.insert(DueQueue.Entry(time: new.due, id: id)) }"),
    ("a renewal does not keep what comes next", TREE + "Memory/Contents+Changes.swift",
     "        refreshes[index] = to\n",
     "        if !DEFECT { refreshes[index] = to }\n"),
    ("a renewal does not prolong anything", TREE + "Memory/Contents+Changes.swift",
     "more.access = accessExpiry ?? .epoch",
     "if !DEFECT { more.access = accessExpiry ?? .epoch }"),
    # What services learn, and give.
    ("an assertion says everything about its user", EDUID + "Assertions.swift",
     "profile.filter { service.releasedClaims.contains($0.name) &&",
     "profile.filter { (DEFECT || service.releasedClaims.contains($0.name)) &&"),
    ("services know a user by one name", "Sources/Federation/Index/Pseudonyms.swift",
     '"\\(service.issuer.text.utf8.count):" + service.issuer.text + party',
     '(DEFECT ? "" : "\\(service.issuer.text.utf8.count):" + service.issuer.text) + party'),
    ("a service is told the name that a user has at home", "Sources/Federation/Index/Pseudonyms.swift",
     "case .pairwise: return derived(from: message(of: user.text, at: service))",
     "case .pairwise: return DEFECT ? user.text : derived(from: message(of: user.text, at: service))"),
    ("a service knows all users by one name", EDUID + "Assertions.swift",
     "about: .named(pseudonyms.name(of: user, at: service)), to: service.issuer,",
     "about: .named(DEFECT ? service.issuer.text : pseudonyms.name(of: user, at: service)), to: service.issuer,"),
    ("an app's token is given to the instance", SERVICE + "AppAuthorization.swift",
     ".app, on: origin, to: .init(code.app), about",
     ".app, on: origin, to: DEFECT ? service.holder : Record.Holder(code.app), about"),
    ("an app's token stands on the assertion beside the service's", SERVICE + "AppAuthorization.swift",
     "id: origin, kind: .code, parent: service.id,",
     "id: origin, kind: .code, parent: DEFECT ? service.parent : service.id,"),
    # What the app does.
    ("the person's choice is not asked", APP + "AuthorizationMode.swift",
     "return picked.isEmpty && !hasLostPicks ? all : all.filter(picked.contains)",
     "return picked.isEmpty && !hasLostPicks || DEFECT ? all : all.filter(picked.contains)"),
    ("what could end a session is not kept before it begins", APP + "Ending.swift",
     "return try keep(key, at: .init(eduID.issuer))",
     "let place = key.place(of: Store.Name(installation.instance), at: .init(eduID.issuer))\n"
     "return DEFECT ? place : try keep(key, at: .init(eduID.issuer))"),
    ("what ends is forgotten before anybody was told", APP + "Ending.swift",
     "return .ask(try key.message(from: &turn)) { turn, response",
     "let message = try key.message(from: &turn)\n"
     "if DEFECT { try turn.session.change { contents in contents.tokens[place] = nil } }\nreturn .ask(message) { turn, response"),
    ("an app's first tokens are remembered, and not its last", APP + "GivenAuthorization.swift",
     "tokens.removeFirst(max(0, tokens.count - GivenToken.limit))",
     "tokens.removeFirst(max(0, tokens.count - GivenToken.limit))\nif DEFECT { tokens = Array(tokens.prefix(1)) }"),
    ("a service's token is lost where the service is found again", APP + "Store.swift",
     "services[service.url] = services[service.url]?.rediscovered(as: service) ?? service",
     "services[service.url] = (DEFECT ? nil : services[service.url]?.rediscovered(as: service)) ?? service"),
    ("the key of a token for one service is not kept", APP + "HeldToken.swift",
     "identity.write(beside: &object, unlessOf: installation)",
     "if !DEFECT { identity.write(beside: &object, unlessOf: installation) }"),
    ("a store is read without its services", APP + "StoreText.swift",
     "        for relation in relations {\n",
     "        for relation in relations where !DEFECT || relation != .services {\n"),
    ("a store forgets how often it was changed", APP + "StoreText.swift",
     'object.member("revision", Int64',
     'if !DEFECT { object.member("revision", Int64(clamping: revision)) }; _ = (Int64'),
    # What third-party apps do.
    ("an app keeps the refresh token that was spent", NAIL + "State/TokenAnswer.swift",
     "for member in answer { renewed[member.name] = member.value }",
     'for member in answer where !DEFECT || member.name != "refresh_token" { renewed[member.name] = member.value }'),
    ("an app forgets what is over", NAIL + "Serialization/StateWriter.swift",
     'object.member("ended", code.text)',
     'if !DEFECT { object.member("ended", code.text) }'),
    ("an app forgets its key", NAIL + "Serialization/StateWriter.swift",
     'object.member("key", ifPresent: key.flatMap',
     'object.member("key", ifPresent: DEFECT ? nil : key.flatMap'),
    # How people sign in.
    ("a one-time code passes again", EDUID + "SignInLimits.swift",
     "spending = [.remember(key, until: spent)]",
     "if !DEFECT { spending = [.remember(key, until: spent)] }"),
    ("who has a second step is in after the password", EDUID + "SignInLimits.swift",
     "return .more(user, Array(steps.prefix(SignInStep.limit)))",
     "if DEFECT, let user { return .user(user) }\nreturn .more(user, Array(steps.prefix(SignInStep.limit)))"),
    ("what sends a browser to the provider is good twice", EDUID + "ProviderSignIn.swift",
     "[lineage.record.keeping(trip.members), .insert(departed)]",
     "DEFECT ? [.insert(departed)] : [lineage.record.keeping(trip.members), .insert(departed)]"),
    ("any browser may bring what the provider answers", EDUID + "ProviderSignIn.swift",
     "mark.imprint == departure.browser else { throw .otherBrowser }",
     "DEFECT || mark.imprint == departure.browser else { throw .otherBrowser }"),
    ("an answer of the provider counts twice", EDUID + "ProviderSignIn.swift",
     "answer.changes.insert(spent, at: 0)",
     "if !DEFECT { answer.changes.insert(spent, at: 0) }"),
    ("what the provider ends does not end here", EDUID + "EndedElsewhere.swift",
     "let changes = signIns.flatMap { signIn in",
     "let changes = (DEFECT ? [] : signIns).flatMap { signIn in"),
    ("who has signed in again is asked to sign in again", AUTHORITY + "Grants.swift",
     "attributes[Record.askAgain] = nil",
     "if !DEFECT { attributes[Record.askAgain] = nil }"),
    # What operators do with stores, and services with what they say.
    ("a one-time code does not say since when it may have passed", EDUID + "SignInLimits.swift",
     "key.made = asking.now - (spent - asking.now)",
     "key.made = DEFECT ? nil : asking.now - (spent - asking.now)"),
    ("a backup without its head counts as whole", TREE + "Persistence/Restoration.swift",
     "unprovenBefore = max(time, unprovenBefore ?? time)",
     "if !DEFECT { unprovenBefore = max(time, unprovenBefore ?? time) }"),
    ("proofs from before a restoration count", TREE + "Memory/ReplayMemory.swift",
     "unknownBefore = max(now, unknownBefore ?? now)",
     "if !DEFECT { unknownBefore = max(now, unknownBefore ?? now) }"),
    # Who belongs where, and how somebody signed in.
    ("whoever belongs nowhere is introduced as a member", EDUID + "Affiliations.swift",
     "word.affiliations.first { demand.isMet(by: $0) }",
     'word.affiliations.first { demand.isMet(by: $0) } ?? (DEFECT ? try? Affiliation(parsing: "member@uni.example") : nil)'),
    ("somebody is expelled and keeps what was given to a member", EDUID + "Affiliations.swift",
     "kept.prefix(most) + grounds.prefix(most).flatMap",
     "kept.prefix(most) + grounds.prefix(DEFECT ? 0 : most).flatMap"),
    ("a provider has everything ended, and nothing ends", EDUID + "GlobalEnding.swift",
     "standing.map { ending($0, .issuer, at: now) }",
     "(DEFECT ? [] : standing).map { ending($0, .issuer, at: now) }"),
    ("nobody asks how long ago a sign-in was", EDUID + "Assertions.swift",
     "guard isMet(demand, by: signIn, at: asking.now) else {",
     "guard DEFECT || isMet(demand, by: signIn, at: asking.now) else {"),
    # What those do who are up to no good.
    ("a service learns of another's assertion", EDUID + "Assertions.swift",
     "at: call.now)\n            guard let grant, let lineage = known,",
     "at: call.now)\n            let learnt = DEFECT && grant == nil ? known?.record.subject : nil\n"
     "            if let learnt, let id = known?.record.id {\n"
     "                var facts = IntrospectionRequest.Outcome.Facts()\n"
     "                (facts.issuer, facts.subject, facts.id) = (authority.issuer, try? Subject(parsing: learnt.text), try? JWT.ID(parsing: id.text))\n"
     "                return Answer(IntrospectionRequest.Outcome.active(facts).encoded(), [use.change])\n"
     "            }\n"
     "            guard let grant, let lineage = known,"),
    ("a service ends what people were given", EDUID + "GlobalEnding.swift",
     "case .tool where request.issuer == authority.issuer: Record.Subject(request.subject)",
     "case .tool where request.issuer == authority.issuer, .service where DEFECT: Record.Subject(request.subject)"),
    ("whoever guesses locks out people who were there before", EDUID + "SignInLimits.swift",
     "ofUser: acquaintance.isKnown || isSignedIn",
     "ofUser: !DEFECT && (acquaintance.isKnown || isSignedIn)"),
    ("an app starts over and leaves everybody signed in", APP + "Ending.swift",
     ".then { _, _ throws(Rejection) in ending }",
     ".then { _, _ throws(Rejection) in DEFECT ? .nothing : ending }"),
    # Keys that are withdrawn.
    ("a withdrawn key is told to nobody", EDUID + "KeyNotices.swift",
     "guard !withdrawn.isEmpty else { return nil }", "guard !DEFECT, !withdrawn.isEmpty else { return nil }"),
    ("what a withdrawn key signed since goes on", TREE + "Verdicts/Withdrawal.swift",
     "guard kind == .versionKey, let number = attributes[Self.withdrawal]?.number else { return nil }",
     "guard kind == .versionKey, !DEFECT, let number = attributes[Self.withdrawal]?.number else { return nil }"),
    ("a service confirms that a key is withdrawn and notes nothing", SERVICE + "ServiceRevocation.swift",
     "changes += try withdrawing(known.withdrawn, &asking)",
     "if !DEFECT { changes += try withdrawing(known.withdrawn, &asking) }"),
    ("a service that was away is not told of a withdrawn key", EDUID + "KeyNotices.swift",
     "known?.attributes[Self.everybody] == services {",
     "DEFECT || known?.attributes[Self.everybody] == services {"),
    ("a version's key that was stolen registers on", EDUID + "Registration.swift",
     "|| ground?.record.withdrawnSince != nil",
     "|| !DEFECT && ground?.record.withdrawnSince != nil"),
    # Who has begun, and whose an account is.
    ("a code outlives the word of the provider", EDUID + "EndedElsewhere.swift",
     "[noted].evenWithoutRoom + begun + changes)",
     "[noted].evenWithoutRoom + (DEFECT ? [] : begun) + changes)"),
    ("a code outlives the end of everything", EDUID + "Administration.swift",
     "ends + begun.prefix(endedAtOnce)",
     "ends + begun.prefix(DEFECT ? 0 : endedAtOnce)"),
    ("whose account nobody can say is somebody else's", EDUID + "LinkedSignIns.swift",
     "case nil: throw .unlinked",
     "case nil: if DEFECT { return identity.user } else { throw .unlinked }"),
    ("what is said of an account does not find its owner", EDUID + "LinkedSignIns.swift",
     "&& seen.insert(other.record.id).inserted",
     "&& !DEFECT && seen.insert(other.record.id).inserted"),
    # What comes late.
    ("who was expelled while a code was redeemed is a member again", EDUID + "SignIn.swift",
     "let spent = Provider.withoutWord(in: lineage.record.attributes)",
     "let spent = DEFECT ? lineage.record.attributes : Provider.withoutWord(in: lineage.record.attributes)"),
    ("a report that comes late is kept of who was forgotten", EDUID + "Account.swift",
     "changes = [introduction.keeping(introduction.attributes), .visit(user, place)]",
     "changes = [DEFECT ? .touch(introduction.id) : introduction.keeping(introduction.attributes), .visit(user, place)]"),
    ("an app gets what was ended while it was asked for", APP + "Session.swift",
     "return endedMarks.count { $0 == mark }",
     "return !DEFECT && endedMarks.count { $0 == mark }"),
    ("what an app had lost comes back with a copy of a service's store", SERVICE + "Confirmation.swift",
     "return ends.count < apps.count ? ends : ends + [.confirm(record.id)]",
     "return ends.count < apps.count && !DEFECT ? ends : (DEFECT ? [] : ends) + [.confirm(record.id)]"),
    # What ends more than it should.
    ("the key of a version is withdrawn for all time", EDUID + "Administration.swift",
     "record.withdrawn(since: time)",
     "record.withdrawn(since: DEFECT ? Timestamp(seconds: 0) : time)"),
    ("who is taken off one device is taken off all", EDUID + "Administration.swift",
     "personal.isUnended && personal.nearest(.client)?.client?.canonical == id.canonical",
     "personal.isUnended && (DEFECT || personal.nearest(.client)?.client?.canonical == id.canonical)"),
]

SWITCH = """internal import Glibc

/// Which of the deliberate defects is there.
package enum DeliberateDefect {
    private static let number = getenv("EDUID_DEFECT").flatMap { Int(String(cString: $0)) }

    package static func isOn(_ number: Int) -> Bool { Self.number == number }
}
"""


def mutated(text, path):
    """The text of a file with all defects that belong there."""
    whole = text
    for number, (name, file, old, new) in enumerate(DEFECTS, 1):
        if file == path:
            if (whole.count(old), text.count(old)) != (1, 1):
                sys.exit(f"{path} does not have exactly once what '{name}' looks for: {old}")
            text = text.replace(old, new.replace("DEFECT", f"DeliberateDefect.isOn({number})"))
    if not re.search(r"^(\w+ )?import Wire$", text, re.MULTILINE):
        text = "internal import Wire\n" + text
    return text


def copy(folder):
    """Writes the tree with all defects, and touches only files that have changed."""
    files = subprocess.run(["git", "ls-files", "-z", "Sources", "Tests/TestSupport", "Package.swift"],
                           capture_output=True, text=True, check=True).stdout.split("\0")
    broken = {file for _, file, _, _ in DEFECTS}
    for file in filter(None, files):
        content = pathlib.Path(file).read_bytes()
        if file in broken:
            content = mutated(content.decode(), file).encode()
        elif file == "Package.swift":
            # A slip may well have a warning; tests are not built.
            content = content.replace(b".treatAllWarnings(as: .error),", b"")
            content = re.sub(rb'\n        \.testTarget\(.*?swiftSettings: rules\),', b"", content, flags=re.DOTALL)
        write(folder / file, content)
    write(folder / "Sources/Wire/DeliberateDefect.swift", SWITCH.encode())


def write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != content:
        path.write_bytes(content)


def simulate(eduid, number, histories):
    """What the simulation says with one defect, or none."""
    command = ["timeout", "1800", eduid, "simulate", "--seed", str(SEED), "--histories", str(histories), "--steps", "60", "--output", "json"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"EDUID_DEFECT": str(number)})
    try:
        report = json.loads(done.stdout)
    except ValueError:
        # A trap is noticed by whoever looks, and breaks no law.
        return None, f"exit status {done.returncode}: {done.stderr.strip()[-200:]}"
    if "seed" not in report:
        return None, "not found"
    return int(report["seed"]) - SEED + 1, f"{report['law']}: {report['evidence']}"


def main():
    if sys.argv[1:] == ["--check"]:
        for file in sorted({file for _, file, _, _ in DEFECTS}):
            mutated(pathlib.Path(file).read_text(), file)
        return
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.strip())
    folder, histories = pathlib.Path(sys.argv[1]).resolve(), int((sys.argv[2:] or ["2000"])[0])
    numbers = [int(number) for number in sys.argv[3:]] or list(range(1, len(DEFECTS) + 1))
    copy(folder / "tree")
    build = ["swift", "build", "-c", "release", "--product", "eduid", "--package-path", folder / "tree", "--scratch-path", folder / "build"]
    subprocess.run(build, check=True)
    eduid = folder / "build/release/eduid"
    count, law = simulate(eduid, 0, histories)
    if law != "not found":
        sys.exit(f"without a defect history {count} fails: {law}")
    print(f"without a defect {histories} histories hold", flush=True)
    missed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda number: simulate(eduid, number, histories), numbers)
        for number, (count, law) in zip(numbers, found):
            missed += count is None
            print(f"{number:3}  {count or '-':>4}  {DEFECTS[number - 1][0]:80}  {law}", flush=True)
    print(f"{len(numbers) - missed} of {len(numbers)} defects found within {histories} histories")
    sys.exit(missed > 0)


main()
