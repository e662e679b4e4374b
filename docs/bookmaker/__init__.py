"""The parts of docs/book.py."""


class BookError(Exception):
    """Something a page names does not exist, or not in the form the page needs."""
