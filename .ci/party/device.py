"""The kinds of vectors about the apps on a device: the edu-ID app, and third-party apps."""

from . import app_asks, app_store, app_texts, modes, protocol_requests, seals

ANSWERS = {
    "protocol-request": protocol_requests.request_answer, "protocol-response": app_asks.response_answer,
    "state": app_texts.state_answer, "mode": modes.mode_answer, "sealed": seals.sealed_answer,
    "store": app_store.store_answer,
}
