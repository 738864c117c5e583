"""Which steps users have to make beside the password, and whether they made them: what vectors tell of the host."""

from . import demands, formats


def stage(user, number, is_demanded):
    """The steps of a stage, of which one suffices; none behind the last, nor where nobody demands any."""
    stages = user.get("steps", []) if is_demanded or not user.get("on_demand") else []
    return [kept(step, number) for step in stages[number]] if number < len(stages) else []


def kept(step, number):
    """A step as a sign-in keeps it, with the number of its stage."""
    return {name: step[name] for name in ("step", "challenge", "hint", "amr") if name in step} | {"kept": number}


def further(user, methods, demanded):
    """The steps by which a sign-in becomes more: of the first stage that proves more, or of the first for an age."""
    for number, steps in enumerate(user.get("steps", [])):
        if demanded.max_age is not None or any(demands.adds_to(methods, step) for step in steps):
            return stage(user, number, True)
    return []


def named(users, name):
    return next((user for user in users if user["name"] == name), None)


def of_subject(users, subject):
    return next((user for user in users if user["subject"] == subject), None)


def of_name(users, name, is_demanded):
    """The first steps of a user, or of the first one of all where nobody has the name."""
    user = named(users, name) or next(iter(users), None)
    return stage(user, 0, is_demanded) if user else []


def made(users, name, step, answer):
    """Who answered a step of a stage, with his or her step; nobody where the answer is wrong."""
    user = named(users, name)
    stages = user.get("steps", []) if user else []
    own = stages[step["kept"]] if step["kept"] < len(stages) else []
    found = next((one for one in own if one["step"] == step["step"]), None)
    is_right = formats.are_equal(found["answer"] if found else "", answer)
    return (user, found) if found and is_right else (None, None)
