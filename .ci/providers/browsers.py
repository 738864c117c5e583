"""Two browsers for people who sign in: Chromium, and a plain one that is quick."""

import html.parser
import http.cookies
import urllib.parse

import requests


class Form(html.parser.HTMLParser):
    """The form of a page with a password in it: where it goes, and what is in its fields."""

    def __init__(self, page):
        super().__init__()
        self.action, self.fields, self.within, self.known = None, {}, False, False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "form" and not self.known:
            self.action, self.fields, self.within = given.get("action") or "", {}, True
        if tag == "input" and self.within and given.get("name"):
            if given.get("type") not in ("submit", "checkbox"):
                self.fields[given["name"]] = given.get("value") or ""
            self.known = self.known or given.get("type") == "password"

    def handle_endtag(self, tag):
        if tag == "form":
            self.within = False


class Answer:
    """Where a browser has come to, and what it was told there."""

    def __init__(self, place, response):
        self.place, self.status, self.text, self.fields = place, response.status_code, response.text, response.headers


class Plain:
    """Follows redirects and keeps cookies as browsers do, also secure ones of the machine itself, which 'requests' would not send."""

    def __init__(self):
        # By host, as in browsers: ports make no difference.
        self.cookies = {}
        self.passed = []

    def send(self, method, place, form=None, origin=None):
        host = urllib.parse.urlsplit(place).hostname
        kept = "; ".join(f"{name}={value}" for name, value in self.cookies.get(host, {}).items())
        fields = {"Accept": "text/html"} | ({"Cookie": kept} if kept else {}) | ({"Origin": origin} if origin else {})
        response = requests.request(method, place, data=form, headers=fields, allow_redirects=False, timeout=60)
        for line in response.raw.headers.getlist("Set-Cookie"):
            for name, morsel in http.cookies.SimpleCookie(line).items():
                self.keep(host, name, morsel)
        self.passed.append((place, response.status_code))
        return response

    def keep(self, host, name, morsel):
        jar = self.cookies.setdefault(host, {})
        if morsel["max-age"] == "0" or not morsel.value:
            jar.pop(name, None)
        else:
            jar[name] = morsel.value

    def visit(self, place, form=None, origin=None, until=None):
        """Goes where the URL leads, at most ten times further; stops before a place that 'until' knows."""
        method = "GET" if form is None else "POST"
        for _ in range(10):
            if until and until(place):
                return Stopped(place)
            response = self.send(method, place, form, origin)
            if not response.is_redirect:
                return Answer(place, response)
            place = urllib.parse.urljoin(place, response.headers["Location"])
            method, form, origin = "GET", None, None
        raise AssertionError(f"sent in circles to {place}")

    def sign_in(self, place, name, password, until=None):
        """Comes to the provider, and signs in there."""
        page = self.visit(place)
        form = Form(page.text)
        if not form.known:
            return page
        entered = form.fields | {"username": name, "password": password}
        target = urllib.parse.urljoin(page.place, form.action)
        origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(page.place))
        return self.visit(target, entered, origin, until)


class Stopped:
    """A place that the browser was sent to, and has not asked for."""

    status, text = None, ""

    def __init__(self, place):
        self.place = place


def gone(element):
    """Whether another page has taken the place of the element's."""
    from selenium.common.exceptions import WebDriverException

    try:
        element.is_enabled()
    except WebDriverException:
        return True
    return False


class Chromium:
    """A browser as people have it, without script; it is started when it is first used."""

    def __init__(self):
        from selenium import webdriver

        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        # Pages of providers ask for what lies elsewhere, and nothing here does.
        hosts = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1"
        for word in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en", hosts]:
            options.add_argument(word)
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
        self.driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))

    def sign_in(self, place, name, password):
        """Comes to the provider, and types there what people type."""
        self.driver.get(place)
        return self.types(name, password)

    def types(self, name, password):
        self.find("username").clear()
        self.find("username").send_keys(name)
        typed = self.find("password")
        typed.send_keys(password)
        typed.submit()
        self.waits(lambda: gone(typed), "another page")
        return self.driver.current_url

    def cancel(self, place):
        self.driver.get(place)
        self.driver.find_element("css selector", "button[value=cancel]").click()
        self.waits(lambda: not self.driver.find_elements("name", "password"), "somewhere else")
        return self.driver.current_url

    def find(self, name):
        self.waits(lambda: self.driver.find_elements("name", name), name)
        return self.driver.find_element("name", name)

    def waits(self, condition, what):
        from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
        from selenium.webdriver.support.ui import WebDriverWait

        passing = [NoSuchElementException, StaleElementReferenceException]
        WebDriverWait(self.driver, 20, ignored_exceptions=passing).until(lambda _: condition(), what)

    @property
    def text(self):
        return self.driver.find_element("tag name", "body").text

    def quit(self):
        self.driver.quit()
