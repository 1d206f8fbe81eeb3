"""Knows the errors of the embedding model by name; refuses to know who raises them; each is made from one message."""


class ParameciumError(Exception):
    """Is the base of every error of this program."""


class ModelMissing(ParameciumError):  # noqa: N818
    """Says that no embedding model stands where one is asked for."""


class ModelDamaged(ParameciumError):  # noqa: N818
    """Says that a file of the embedding model is not what its hash promises."""
