"""Uses the pages of an edu-ID service in a browser as people do. Usage: pages.py PROGRAM WORK SCREENS"""

import http.server
import importlib.util
import json
import pathlib
import random
import subprocess
import sys
import threading
import time

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

program, work, screens = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
screens.mkdir(parents=True, exist_ok=True)
port = 20_000 + 3 * random.randrange(10_000)
home = f"http://localhost:{port}"
state = work / ".eduid"
PAGES = {"account": "", "services": "/services", "activity": "/activity", "data": "/data", "end": "/end?what=everything"}
OFFICE = {
    "people": "/administration",
    "versions": "/administration/versions",
    "members": "/administration/services",
    "messages": "/administration/messages",
    "act": "/administration/act?act=lock&name=",
}


def run(*words, typed="\n"):
    return subprocess.run([program, *words], cwd=work, input=typed, text=True, capture_output=True, timeout=120)


def serve():
    log = open(work / "served", "a")
    party = subprocess.Popen([program, "up", "--port", str(port)], cwd=work, stdout=log, stderr=log)
    for _ in range(300):
        if "Ctrl-C ends" in (work / "served").read_text():
            return party
        time.sleep(0.1)
    raise SystemExit((work / "served").read_text())


def browser(*, script=False, dark=False, width=1100, height=900):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for word in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--window-size={width},{height}", "--lang=en"]:
        options.add_argument(word)
    options.add_experimental_option(
        "prefs",
        {
            "profile.managed_default_content_settings.javascript": 1 if script else 2,
            "intl.accept_languages": "en",
            "download.default_directory": str(work),
        },
    )
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]}
    )
    if width < 600:
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": True})
    return driver


def text(driver):
    return driver.find_element(By.TAG_NAME, "main").text


def title(driver):
    return driver.find_element(By.TAG_NAME, "h1").text


def waits(driver, condition, what):
    # While one page takes the place of another, what is looked at may be gone.
    passing = [NoSuchElementException, StaleElementReferenceException]
    WebDriverWait(driver, 20, ignored_exceptions=passing).until(lambda _: condition(), what)


def sign_in(driver, user, password):
    driver.get(home + "/account/sign-in")
    driver.find_element(By.ID, "user").send_keys(user)
    driver.find_element(By.ID, "password").send_keys(password)
    driver.find_element(By.CSS_SELECTOR, ".entry button").click()
    waits(driver, lambda: "/sign-in" not in driver.current_url or driver.find_elements(By.CLASS_NAME, "failure"), "signed in")


def button(driver, label, where=None):
    for found in (where or driver).find_elements(By.CSS_SELECTOR, "main a, main button, a.action, button"):
        if found.text.split(":")[0].strip() == label:
            return found
    raise AssertionError(f"no '{label}' on {driver.current_url}:\n{text(driver)}")


def shoot(driver, name):
    size = driver.execute_cdp_cmd("Page.getLayoutMetrics", {})["cssContentSize"]
    shot = driver.execute_cdp_cmd(
        "Page.captureScreenshot",
        {"captureBeyondViewport": True, "clip": {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}},
    )
    import base64

    (screens / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))
    return size["width"]


def check_reading(people):
    """What people can do, in a browser that runs no script."""
    driver = browser()
    driver.get(home + "/account")
    assert driver.current_url == home + "/account/sign-in" and title(driver) == "Sign in", driver.current_url
    sign_in(driver, "ada", "wrong")
    assert "do not match" in driver.find_element(By.CLASS_NAME, "failure").text
    shoot(driver, "sign-in-wrong")
    # Whoever asks for a page is led there after signing in.
    driver.get(home + "/account/activity")
    driver.find_element(By.ID, "user").send_keys("ada")
    driver.find_element(By.ID, "password").send_keys(people["ada"], Keys.ENTER)
    waits(driver, lambda: driver.current_url == home + "/account/activity", "the page that was asked for")
    assert "Signed in on a terminal" in text(driver), text(driver)
    cookies = {cookie["name"]: cookie for cookie in driver.get_cookies()}
    assert set(cookies) == {"__Host-eduid-session", "__Host-eduid-mark"}, cookies
    for cookie in cookies.values():
        assert cookie["httpOnly"] and cookie["secure"] and cookie["sameSite"] == "Lax" and cookie["path"] == "/", cookie
    # No script runs, and none is there.
    assert "<script" not in driver.page_source
    for name, path in {**PAGES, **OFFICE}.items():
        driver.get(home + "/account" + path + (subjects["ben"] if name == "act" else ""))
        shoot(driver, name)
    # The keyboard reaches everything: what skips to the content comes first.
    driver.get(home + "/account")
    ActionChains(driver).send_keys(Keys.TAB).perform()
    assert driver.switch_to.active_element.get_attribute("class") == "skip"
    shoot(driver, "keyboard")
    # The whole tree is there, and one part of it ends.
    driver.get(home + "/account")
    shown = text(driver)
    for words in ["University of Alpha", "University of Beta", "a terminal", "this browser"]:
        assert words in shown, shown
    alpha = next(n for n in driver.find_elements(By.CSS_SELECTOR, ".tree ul > li") if "Alpha" in n.text)
    button(driver, "End", alpha).send_keys(Keys.ENTER)
    waits(driver, lambda: "/account/end" in driver.current_url, "the question")
    assert title(driver) == "End access to University of Alpha from a terminal?", title(driver)
    # The password was given just now.
    assert not driver.find_elements(By.ID, "password")
    button(driver, "Yes, end it").send_keys(Keys.ENTER)
    waits(driver, lambda: driver.find_elements(By.CLASS_NAME, "notice"), "that it has ended")
    assert "It has ended." in text(driver) and "University of Alpha" not in text(driver), text(driver)
    for _ in range(100):
        used = run("reader", "use").stdout
        if "University of Alpha: 200" not in used and ": 200 " in used and used.count(": 200 ") == 1:
            break
        time.sleep(0.2)
    else:
        raise AssertionError(used)
    # What the pages say can be taken away.
    driver.get(home + "/account/data")
    button(driver, "Download my data").click()
    taken = work / "edu-id.json"
    waits(driver, taken.exists, "the download")
    document = json.loads(taken.read_text())
    assert [d["name"] for d in document["devices"]][-1] == "a terminal" and document["profile"]["given_name"] == "Ada", document
    # Four languages, chosen once.
    titles = {"de": "Geräte und Dienste", "fr": "Appareils et services", "it": "Dispositivi e servizi", "en": "Devices and services"}
    for language, words in titles.items():
        driver.get(home + "/account")
        driver.find_element(By.CSS_SELECTOR, f"footer a[hreflang={language}]").click()
        waits(driver, lambda: title(driver) == words, words)
        driver.get(home + "/account/services")
        assert driver.find_element(By.TAG_NAME, "html").get_attribute("lang") == language
        shoot(driver, f"services-{language}")
    return driver


def check_strangers(driver):
    """What another site can do with a browser in which somebody is signed in."""
    forms = {
        "/end": f'<form method="post" action="{home}/account/end"><input name="what" value="everything"/><button>x</button></form>',
        "/out": f'<form method="post" action="{home}/account/sign-out"><button>x</button></form>',
        "/lock": f'<form method="post" action="{home}/account/administration/act"><input name="act" value="lock"/>'
        f'<input name="name" value="{subjects["ben"]}"/><button>x</button></form>',
        "/frame": f'<iframe src="{home}/account" width="800" height="600"></iframe><form><button>x</button></form>',
    }

    class Stranger(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(forms.get(self.path, "").encode())

        def log_message(self, *words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stranger)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for path in ["/end", "/out", "/lock"]:
        driver.get(f"http://127.0.0.1:{server.server_port}{path}")
        driver.find_element(By.TAG_NAME, "button").click()
        waits(driver, lambda: driver.current_url.startswith(home), "the answer")
        driver.get(home + "/account")
        assert title(driver) == "Devices and services" and "a terminal" in text(driver), path
    driver.get(f"http://127.0.0.1:{server.server_port}/frame")
    driver.switch_to.frame(0)
    assert "Devices" not in driver.find_element(By.TAG_NAME, "body").text
    driver.switch_to.default_content()
    server.shutdown()
    driver.get(home + "/account/administration?locked=true")
    assert "Ben" not in text(driver)


def check_office(driver, people):
    driver.get(home + "/account/administration")
    row = next(r for r in driver.find_elements(By.CSS_SELECTOR, "tbody tr") if "Ben Franklin" in r.text)
    button(driver, "Lock", row).click()
    waits(driver, lambda: title(driver) == "Lock Ben Franklin?", "the question")
    driver.find_element(By.ID, "reason").send_keys("lost his phone")
    button(driver, "Lock").click()
    waits(driver, lambda: "Done." in text(driver), "the lock")
    driver.find_element(By.LINK_TEXT, "Locked people").click()
    waits(driver, lambda: "lost his phone" in text(driver), "the reason")
    shoot(driver, "locked")
    other = browser()
    sign_in(other, "ben", people["ben"])
    assert "locked" in other.find_element(By.CLASS_NAME, "failure").text
    button(driver, "Unlock").click()
    waits(driver, lambda: title(driver) == "Unlock Ben Franklin?", "the question")
    button(driver, "Unlock").click()
    waits(driver, lambda: "Done." in text(driver), "the end of the lock")
    sign_in(other, "ben", people["ben"])
    assert title(other) == "Devices and services"
    other.get(home + "/account/administration/versions")
    assert title(other) == "This is for administrators"
    other.quit()
    driver.get(home + "/account/administration/versions")
    button(driver, "Block").click()
    waits(driver, lambda: title(driver) == "Block terminal 1?", "the question")
    driver.find_element(By.LINK_TEXT, "Cancel").click()


def check_access(people):
    """Each page in light and dark, on a desk and on a phone, by a checker of accessibility."""
    place = pathlib.Path(importlib.util.find_spec("axe_playwright_python").origin).parent / "axe.min.js"
    axe = place.read_text()
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    count = 0
    for scheme in ["light", "dark"]:
        for width in [1100, 360]:
            driver = browser(script=True, dark=scheme == "dark", width=width)
            driver.get(home + "/account/sign-in")
            pages = {"sign-in": "/sign-in", **PAGES, **OFFICE, "missing": "/nothing"}
            for name, path in pages.items():
                if name == "account":
                    sign_in(driver, "ada", people["ada"])
                driver.get(home + "/account" + path + (subjects["ben"] if name == "act" else ""))
                if shoot(driver, f"{name}-{scheme}-{width}") > width:
                    raise AssertionError(f"{name} is wider than the screen at {width}")
                driver.execute_script(axe)
                found = driver.execute_async_script(
                    "const end = arguments[arguments.length - 1];"
                    f"axe.run({{runOnly: {json.dumps(rules)}}}).then(r => end(r.violations), e => end(String(e)));"
                )
                assert found == [], f"{name} ({scheme}, {width}): {json.dumps(found, indent=1)[:3000]}"
                count += 1
            driver.quit()
    return count


def check_erasure(driver):
    driver.get(home + "/account/data")
    button(driver, "Erase my data").click()
    waits(driver, lambda: title(driver) == "Erase your data?", "the question")
    if driver.find_elements(By.ID, "password"):
        driver.find_element(By.ID, "password").send_keys(people["ada"])
    button(driver, "Yes, erase my data").click()
    waits(driver, lambda: "Your data are erased" in text(driver), "that it is erased")
    driver.get(home + "/account")
    assert title(driver) == "Sign in"
    for _ in range(100):
        if ": 200 " not in run("reader", "use").stdout:
            return
        time.sleep(0.2)
    raise AssertionError("the reader still reads")


party = serve()
people = dict(line.split() for line in (state / "people").read_text().splitlines())
signed = run("phone", "sign-in", "ada", typed=people["ada"] + "\n")
assert signed.returncode == 0, signed
asked = run("reader", "authorize", typed="\n")
assert asked.returncode == 0, asked
# Ada administrates, by the name that the list of accounts shows.
accounts = json.loads(run("account", "list", str(state / "edu-id/accounts"), "--output", "json").stdout)["accounts"]
subjects = {account["name"]: account["subject"] for account in accounts}
settings = state / "edu-id/eduid.yaml"
# Ben signs in again and again here, which a code that passes once does not allow.
removed = run("account", "otp", str(state / "edu-id/accounts"), "ben", "--remove")
assert removed.returncode == 0, removed
written = settings.read_text().replace("administrators: []", f"administrators: ['{subjects['ada']}']")
settings.write_text(written.replace("# backup-days", "backup-days"))
party.send_signal(1)
reading = check_reading(people)
# Ben is known once he has signed in.
visitor = browser()
sign_in(visitor, "ben", people["ben"])
visitor.quit()
check_strangers(reading)
check_office(reading, people)
count = check_access(people)
check_erasure(reading)
reading.quit()
party.terminate()
party.wait(timeout=30)
audit = [json.loads(line) for line in (state / "edu-id/audit.jsonl").read_text().splitlines()]
assert not any(word in json.dumps(line) for line in audit for word in ["Ada", "Lovelace", "ada@", *subjects.values(), *people.values()])
assert any(line["endpoint"] == "account/sign-in" and line["outcome"] == "refused" for line in audit)
print(f"{count} pages without a fault in accessibility; what people and administrators do is done without script, and by no other site")
