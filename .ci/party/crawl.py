"""How the descriptions of services are collected (Fixtures/protocol/discovery.md, "Collecting")."""

from html.parser import HTMLParser

from . import descriptions, discovery, endpoints, urls
from .messages import Answer
from .refusals import Flaw

TIME_TO_LIVE, TIMES_TO_LIVE = 21_600, (900, 604_800)
FIRST_PAUSE, LONGEST_PAUSE, PATIENCE, LONGEST_WAIT = 300, 86_400, 5, 120
MOST_REDIRECTS, MOST_CANDIDATES, MOST_LINKS = 3, 4, 32
MOST_BYTES = {"list": 65_536, "page": 1_048_576, "document": 524_288}
ACCEPTED = {"list": "text/plain", "page": "text/html"}
REDIRECTS = (301, 302, 303, 307, 308)
SUFFIXES = {"json": "json", "yaml": "yaml", "yml": "yaml", "x-yaml": "yaml", "xml": "xml"}
BINDINGS = ("json", "yaml", "xml")
CLAUSES = {"too long": "threat-43", "nothing published": "RSD-2", "redirect": "threat-42"}


def binding(kind):
    """In which form a document of a media type is read, or nothing."""
    name = kind.partition(";")[0].strip(" \t").lower()
    return SUFFIXES.get(name[max(name.rfind("+"), name.rfind("/")) + 1:])


class Page(HTMLParser):
    """The links of a page that announce documents, and its base."""

    def __init__(self, place):
        super().__init__()
        self.place, self.base, self.links, self.raw = place, None, [], None

    def handle_starttag(self, tag, attributes):
        if self.raw:
            return
        told = {}
        for name, value in attributes:
            told.setdefault(name, (value or "").strip(" \t\n\f\r"))
        self.raw = tag if tag in ("textarea", "title", "template") else None
        if tag == "base" and self.base is None and "href" in told:
            self.base = resolved(told["href"], self.place)
        relations = told.get("rel", "").lower().split()
        if tag == "link" and {"serviceapi", "edituri"} & set(relations) and "href" in told:
            self.links.append((told.get("type", ""), told["href"]))

    def handle_endtag(self, tag):
        self.raw = None if tag == self.raw else self.raw

    def documents(self):
        found = {}
        for kind, link in self.links[:MOST_LINKS]:
            url = resolved(link, self.base or self.place)
            if url:
                found.setdefault(url.identity, (kind, url))
        return [*found.values()]


def resolved(link, base):
    try:
        return urls.read(link, base)
    except Flaw:
        return None


def announced(text, place):
    page = Page(place)
    page.feed(text)
    return page.documents()


def documents_of_list(text, place):
    """The documents of a list, and the interval that it names."""
    entries, interval, _ = discovery.read_services(text, place)
    return [(entry["type"], urls.read(entry["url"])) for entry in entries], interval


def owned(document, home, hosts):
    """A document taken in as the service's own."""
    if "homePageLink" in document and discovery.identity(document["homePageLink"]) != home.identity:
        raise Flaw("threat-52", "a document of another service")
    document = {**document, "homePageLink": home.text}
    for name in document["apis"]:
        if descriptions.is_of_oauth2(name):
            try:
                url = endpoints.checked_endpoint(document, name, encrypted=False)
            except Flaw:
                continue
            if url.host not in (home.host, *hosts):
                raise Flaw("threat-52", "tokens are taken on another host")
    descriptions.check_length(document)
    return document


class Failed(Exception):
    """The round has failed."""

    def __init__(self, failure, pause=0, **told):
        super().__init__(failure)
        self.failure, self.pause, self.told = failure, pause, told
        self.clause = told.pop("clause", CLAUSES.get(failure))


def validators(answer):
    fields = {"If-None-Match": answer.values("ETag"), "If-Modified-Since": answer.values("Last-Modified")}
    return {name: values[0] for name, values in fields.items() if len(values) == 1}


class Crawl:
    """What is known of one service, and the round that is under way, as a generator of requests."""

    def __init__(self, home, now, known=None):
        self.home, self.hosts, self.due = home, None, now
        self.time_to_live, self.failures, self.document, self.bytes = TIME_TO_LIVE, 0, None, None
        self.known, self.validators, self.document_url = {"list": [], "page": []}, {}, None
        self.origin = None
        if known:
            self.document, self.failures = known["document"], known["failures"]
            self.document_url, self.origin = known["location"], urls.read(known["origin"])
        self.round, self.deadline, self.clause = None, None, None
        # How long the home's host may take for a request of a round that is over.
        self.asked_host, self.left = None, None

    # Requests

    def may_ask(self, url):
        right_host = url.host in (self.home.host, *self.hosts)
        return right_host and url.scheme in ("https", self.home.scheme) and url.is_open(self.home)

    def ask(self, step, url, kind=None):
        """The answer to a request, behind at most three redirects, with the place that it came from."""
        for _ in range(MOST_REDIRECTS + 1):
            if not self.may_ask(url):
                raise Failed("nothing published")
            headers = {"Accept": kind or ACCEPTED[step]} | self.validators.get((step, kind and self.document_url), {})
            if step == "document" and self.first_url != self.document_url:
                headers = {"Accept": kind}
            answer = yield {"method": "GET", "url": url.text, "headers": headers}
            if answer is None:
                raise Failed("no answer")
            if len((answer.body or "").encode()) > MOST_BYTES[step]:
                raise Failed("too long")
            if answer.status not in REDIRECTS:
                break
            url = self.redirect(answer, url)
        else:
            raise Failed("redirect")
        if answer.status == 429 or 500 <= answer.status < 600:
            raise Failed("status", asked_pause(answer), status=answer.status)
        return answer, url

    def redirect(self, answer, base):
        places = answer.values("Location")
        url = resolved(places[0], base) if len(places) == 1 else None
        if url is None or not self.may_ask(url):
            raise Failed("redirect")
        return url

    def run(self):
        """One round; gives its event."""
        candidates = yield from self.candidates()
        failure = Failed("nothing published")
        for kind, url in candidates[:MOST_CANDIDATES]:
            self.first_url = url.text
            answer, origin = yield from self.ask("document", url, kind)
            try:
                events, self.origin = self.take(answer, url, kind), origin
                return events
            except Failed as failed:
                failure = failed
        raise failure

    def candidates(self):
        listed = urls.read("services.txt", urls.read(self.home.text.rstrip("/") + "/"))
        answer, place = yield from self.ask("list", listed)
        if answer.status != 304:
            self.known["list"] = []
            self.validators.pop(("list", None), None)
            if 200 <= answer.status < 300:
                self.read_list(answer, place)
        found = self.usable("list")
        return found or (yield from self.page())

    def read_list(self, answer, place):
        try:
            self.known["list"], interval = documents_of_list(answer.body or "", place)
        except Flaw:
            return
        least, most = TIMES_TO_LIVE
        self.time_to_live = min(max(TIME_TO_LIVE if interval is None else interval, least), most)
        self.validators["list", None] = validators(answer)

    def page(self):
        answer, place = yield from self.ask("page", self.home)
        if answer.status != 304:
            self.known["page"] = []
            if not 200 <= answer.status < 300:
                raise Failed("status", status=answer.status)
            self.known["page"] = announced(answer.body or "", place)
            self.validators["page", None] = validators(answer)
        found = self.usable("page")
        if not found:
            raise Failed("nothing published")
        return found

    def usable(self, step):
        """The documents that can be read and may be asked for, the best binding first."""
        found = [(kind, url) for kind, url in self.known[step] if binding(kind) and self.may_ask(url)]
        return sorted(found, key=lambda entry: BINDINGS.index(binding(entry[0])))

    # Answers

    def take(self, answer, url, kind):
        if answer.status == 304 and self.document and self.document_url == url.text:
            return [{"event": "unchanged"}]
        if not 200 <= answer.status < 300:
            raise Failed("status", status=answer.status)
        is_same = self.document and self.document_url == url.text and self.bytes == answer.body
        if not is_same:
            try:
                read = descriptions.read_text(binding(kind), answer.body or "")
                read = owned(descriptions.without_authorization(read), self.home, self.hosts)
            except Flaw as flaw:
                raise Failed("unreadable", clause=flaw.clause) from None
        before, self.bytes, self.document_url = self.document, answer.body, url.text
        self.validators["document", url.text] = validators(answer)
        if is_same or before == read:
            return [{"event": "unchanged"}]
        self.document = read
        return [{"event": "changed" if before else "found", "document": read}]

    # Time

    def go_on(self, now, answer=None):
        """Goes on with the round; gives events, and the next request or nothing."""
        try:
            request = self.round.send(answer)
            self.deadline, self.asked_host = now + LONGEST_WAIT, urls.read(request["url"]).host
            return [], request
        except StopIteration as end:
            self.round, self.failures, self.due, self.clause = None, 0, now + self.time_to_live, None
            return end.value, None
        except Failed as failed:
            return self.fail(failed, now), None

    def fail(self, failed, now):
        self.round, self.clause = None, failed.clause
        self.failures += 1
        pause = min(max(FIRST_PAUSE << min(self.failures - 1, 20), failed.pause), LONGEST_PAUSE)
        self.due = now + pause
        events = [{"event": "failed", "failure": failed.failure, "retry": self.due} | failed.told]
        if self.failures >= PATIENCE and self.document:
            self.give_up()
            events.append({"event": "gone"})
        return events

    def give_up(self):
        """There is no document any more, and nothing to ask for it by."""
        self.validators.pop(("document", self.document_url), None)
        self.document, self.document_url, self.clause = None, None, None

    def allow(self, hosts, now):
        """Takes what the index allows now; gives the event if that costs the document."""
        if self.hosts is not None and set(hosts) == set(self.hosts):
            return []
        if self.round and self.asked_host == self.home.host:
            self.left = self.deadline
        self.hosts, self.round, self.due = hosts, None, now
        try:
            places = [urls.read(self.document_url), self.origin] if self.document else []
            if all(map(self.may_ask, places)) and (not places or owned(self.document, self.home, hosts)):
                return []
        except Flaw:
            pass
        self.give_up()
        return [{"event": "gone"}]

    def play(self, step, hosts):
        """What a step leads to."""
        now, request = step["now"], None
        events = self.allow(hosts, now)
        if self.left:
            self.left = None if "answer" in step or now >= self.left else self.left
        elif self.round and "answer" in step:
            answer = step["answer"] and Answer.of(step["answer"])
            more, request = self.go_on(now, answer)
            events += more
        elif self.round and now >= self.deadline:
            events += self.fail(Failed("no answer"), now)
        if not self.round and not self.left and now >= self.due:
            self.round = self.run()
            more, request = self.go_on(now)
            events += more
        told = {"events": events} if events else {}
        if request:
            return told | {"request": request}
        return told | {"due": self.left or (self.deadline if self.round else self.due)}


def asked_pause(answer):
    values = answer.values("Retry-After")
    return int(values[0]) if len(values) == 1 and values[0].isascii() and values[0].isdigit() else 0


def crawl_answer(given):
    home = urls.read(given["service"])
    crawl, steps = Crawl(home, given["steps"][0]["now"], given.get("known")), []
    hosts = given.get("allowed_hosts", [])
    for step in given["steps"]:
        hosts = step.get("allowed_hosts", hosts)
        if step.get("listed") is False:
            steps.append({"events": [{"event": "gone"}]} if crawl.document else {})
            crawl.give_up()
        else:
            steps.append(crawl.play(step, hosts))
    document = {"document": crawl.document} if crawl.document else {}
    refusal = {"refusal": {"clause": crawl.clause}} if crawl.clause else {}
    return {"steps": steps} | document | refusal
