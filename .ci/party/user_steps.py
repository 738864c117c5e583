"""Which steps users have to make beside the password, and whether they made them: what vectors tell of the host."""

from . import formats


def stage(user, number):
    """The steps of a stage, of which one suffices; none behind the last."""
    stages = user.get("steps", [])
    return [kept(step, number) for step in stages[number]] if number < len(stages) else []


def kept(step, number):
    """A step as a sign-in keeps it, with the number of its stage."""
    return {name: step[name] for name in ("step", "challenge", "hint") if name in step} | {"kept": number}


def named(users, name):
    return next((user for user in users if user["name"] == name), None)


def of_name(users, name):
    """The first steps of a user, or of the first one of all where nobody has the name."""
    user = named(users, name) or next(iter(users), None)
    return stage(user, 0) if user else []


def made(users, name, step, answer):
    """Who answered a step of a stage, with his or her step; nobody where the answer is wrong."""
    user = named(users, name)
    stages = user.get("steps", []) if user else []
    own = stages[step["kept"]] if step["kept"] < len(stages) else []
    found = next((one for one in own if one["step"] == step["step"]), None)
    is_right = formats.are_equal(found["answer"] if found else "", answer)
    return (user, found) if found and is_right else (None, None)
