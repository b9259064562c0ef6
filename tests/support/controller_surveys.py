# SPDX-License-Identifier: GPL-3.0-or-later
"""Surveys of the stand-in for AWX: what the API refuses, and what a launch is given."""

from __future__ import annotations

SURVEY_TYPES = {
    "text": str,
    "textarea": str,
    "password": str,
    "multiplechoice": str,
    "multiselect": str,
    "integer": int,
    "float": float,
}


class Refused(Exception):
    """A 400; the argument is the body."""


def check_survey(spec: dict) -> None:
    """The API's rules for a survey as it is posted.

    :raises Refused: it is not accepted.
    """
    for key, kind in (("name", str), ("description", str), ("spec", list)):
        if not isinstance(spec.get(key), kind):
            raise Refused({"error": f"Field '{key}' is missing from survey spec, or of a wrong type."})
    if not spec["spec"]:
        raise Refused({"error": "'spec' doesn't contain any items."})
    known: set[str] = set()
    for number, one in enumerate(spec["spec"]):
        for key, kind in (("type", str), ("question_name", str), ("variable", str), ("required", bool)):
            if not isinstance(one.get(key), kind):
                raise Refused({"error": f"'{key}' in survey question {number} expected to be {kind.__name__}."})
        if one["variable"] in known:
            raise Refused({"error": f"'variable' '{one['variable']}' duplicated in survey question {number}."})
        known.add(one["variable"])
        _check_question(number, one)


def _check_question(number: int, one: dict) -> None:
    if one["type"] not in SURVEY_TYPES:
        raise Refused({"error": f"'{one['type']}' in survey question {number} is not an allowed question type."})
    default = one.get("default", "")
    if default != "" and not isinstance(default, SURVEY_TYPES[one["type"]]):
        raise Refused({"error": f"Default value {default} in survey question {number} expected to be {one['type']}."})
    if any(one.get(key) is not None and not isinstance(one[key], int) for key in ("min", "max")):
        raise Refused({"error": f"The min or max limit in survey question {number} expected to be integer."})
    if one["type"] in ("multiplechoice", "multiselect"):
        if not one.get("choices"):
            raise Refused({"error": f"Survey question {number} of type {one['type']} must specify choices."})
        if any(each not in _choices(one) for each in str(default).splitlines()):
            raise Refused({"error": "Default choice must be answered from the choices listed."})


def _choices(question: dict) -> list:
    return question["choices"].split("\n") if isinstance(question["choices"], str) else question["choices"]


def answer_errors(question: dict, given: dict) -> list[str]:
    """What the API has against the answer to one question; a default of a required one counts for nothing."""
    name = question["variable"]
    if name not in given:
        return [f"'{name}' value missing"] if question["required"] else []
    value = given[name]
    if question["type"] == "multiplechoice":
        return (
            []
            if value in _choices(question)
            else [f"Value {value} for '{name}' expected to be one of {_choices(question)}."]
        )
    if question["type"] in ("text", "textarea", "password"):
        if not isinstance(value, str):
            return [f"Value {value} for '{name}' expected to be a string."]
        low, high = question.get("min") or 0, question.get("max")
        return (
            []
            if low <= len(value) and (high is None or len(value) <= high)
            else [f"'{name}' value {value} is too small or too large."]
        )
    return (
        []
        if isinstance(value, SURVEY_TYPES[question["type"]]) and not isinstance(value, bool)
        else [f"Value {value} for '{name}' is of a wrong type."]
    )


def accepted(template: dict, given: dict, required: bool = True) -> dict:
    """The variables that a job of this template has.

    :raises Refused: as the API refuses to start it.
    """
    questions = template.get("survey", {}).get("spec", []) if template["survey_enabled"] else []
    errors = [
        error for one in questions for error in answer_errors(one, given) if required or "value missing" not in error
    ]
    more = sorted(set(given) - {one["variable"] for one in questions})
    told: dict = {"variables_needed_to_start": errors} if errors else {}
    if more and not template["ask_variables_on_launch"]:
        told["extra_vars"] = [f"Variables {', '.join(more)} are not allowed on launch."]
    if told:
        raise Refused(told)
    filled = {
        one["variable"]: one["default"]
        for one in questions
        if "default" in one and not answer_errors(one, {one["variable"]: one["default"]})
    }
    return {**filled, **given}
