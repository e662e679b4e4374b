"""The parts of docs/book.py."""


class BookError(Exception):
    """Something that a page names does not exist, or not in the required form."""
