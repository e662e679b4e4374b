"""The two ways in which an experiment fails; each is one sentence for the user."""


class Failed(Exception):
    """Bad input, a failed run, or a result that is not verified: exit code 2."""


class Unsupported(Exception):
    """The program or the machine lacks what the experiment needs: exit code 4."""
