"""Saves commands most of a second before their first line."""

import sys


def leave_out_the_grammar_of_addresses() -> None:
    """Keep `rfc3987_syntax` from being imported in this process.

    jsonschema, which holds notebooks against their form, imports it wherever it is installed, and it then parses the
    grammar of all web addresses, for 0.8 s. Without it jsonschema takes any text for an address; notebooks hold none.
    """
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
