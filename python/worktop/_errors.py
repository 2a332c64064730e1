"""What the library raises."""


class Error(RuntimeError):
    """What went wrong, where, and what to do about it."""

    __module__ = "worktop"
    code: str  # usage, input, infeasible, illegal or environment
    what: str  # one sentence
    where: str  # a place in a file, an argument, an op; may be empty
    hint: str  # what to do; may be empty

    def __init__(self, code: str, what: str, where: str = "", hint: str = ""):
        self.code, self.what, self.where, self.hint = code, what, where, hint
        super().__init__(what + (f"\n  where: {where}" if where else "") + (f"\n  hint:  {hint}" if hint else ""))


class InputError(Error, ValueError):
    """An argument or a file is not what it should be: the codes usage and input."""

    __module__ = "worktop"
