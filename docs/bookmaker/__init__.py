"""What docs/book.py is made of."""


class BookError(Exception):
    """Something a page names does not exist, or not in the form the page needs."""
